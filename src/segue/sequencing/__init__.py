"""Elementary motions placed in time and joined with optimal blends (Oshita, interactive motion synthesis).

May import synthesis and below; knows neither graph nor locomotion. `script` says what is executed when, `elements` what
is placed, `decisions` holds what was decided.
"""
