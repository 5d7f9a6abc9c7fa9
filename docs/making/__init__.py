"""What the site needs besides its pages.

scenes      runs to watch, a single file each
pictures    trees and figures of the page on the model
notebooks   notebooks, executed, as pages
hooks       what MkDocs is told: pages from elsewhere, the navigation
links       every link of the built site leads somewhere
"""
