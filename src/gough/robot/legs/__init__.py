"""Legs in short: chains of joints and links with lengths, and patterns of them.

A file that names a leg's joints, the lengths of its links and where it begins and ends says all
that bodies and joints say. `tables` has what may be written; `chain` puts it together and repeats
it; `places` finds where the joints are, `drawn` their axes; `expansion` makes bodies and joints.
"""
