"""How do files become text?"""
