"""Which topics does the memory have, which goal do they serve, and is it still kept?

Topics are found from what is stored (`survey.py`), named by their words, and renamed or rejected by people. Not for
finding answers (`recall`) nor for what needs attention (`care`). Look first at `topics.py`.
"""
