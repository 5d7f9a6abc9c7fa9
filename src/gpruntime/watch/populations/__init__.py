"""A run with several trees as a page: `gpruntime watch --algorithm smo-single`, served or `-o run.html`.

recorded     the changes of its population, in words and numbers
page         these as a single file, with population.html, .css and .js
asked        the same, served, with a form: asked.html and .js
"""
