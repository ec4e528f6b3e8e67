"""Head and neck under impact: 48 freedoms, discs, ligaments, muscles, facet contacts ([Mouzo2018] ch. 4).

tables        text files with units          model        the parts, and what the files say of them
equilibrium   the pose stands still          steps        compiled steps of time
impact        one blow                       measures     HIC, BrIC and other criteria, ranges, loads
sweeps        many blows                     study        what the command line and the workbench ask
"""
