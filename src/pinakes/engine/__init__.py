"""What can be done?"""
