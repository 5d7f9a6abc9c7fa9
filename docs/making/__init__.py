"""What the site needs besides its pages.

scenes      runs to watch, a single file each
pictures    trees and figures of the page on the model, a profile for that on the analysis
notebooks   notebooks, executed, as pages
playground  the kernels as WebAssembly, in one page
atlas       the map of problems and algorithms, from kept data
literature  the literature's report, kept
hooks       what MkDocs is told: pages from elsewhere, the navigation
links       every link of the built site leads somewhere
"""
