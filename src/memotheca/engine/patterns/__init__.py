"""How are patterns kept and found?"""
