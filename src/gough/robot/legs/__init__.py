"""Legs in short form: chains of joints and links with lengths, and patterns of them.

A leg's joints, the lengths of its links and its two ends determine its bodies and joints. `tables`
declares the keys; `chain` builds and repeats the chains; `places` computes the places of the
joints; `expansion` makes bodies and joints.
"""
