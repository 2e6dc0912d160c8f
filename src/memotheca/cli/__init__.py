"""How do people run us?"""
