"""How do markdown files hold notes?"""
