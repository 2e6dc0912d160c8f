"""What can agents call?"""
