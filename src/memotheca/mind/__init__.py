"""How does the graph judge itself?"""
