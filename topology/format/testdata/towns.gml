Creator "by hand"
Version 1
# Two towns of one name, a link outside, and edges before their nodes.
graph
[
  directed 1
  label "towns"
  edge [ source 3 target 1 ]
  edge [ source 1 target 3 speed "10G" ]
  edge [ source 7 target 3 weight 2.5e1 ]
  node [ id 1 label "Berlin" Longitude -13.4 ]
  node [ id 3 label "Sydney" graphics [ x 1.0 y .5 ] ]
  node [ id 7 label "Sydney" Internal 0 ]
  node [ id 9 label "a
caf&#233;" role "host" ]
  edge [ source 9 target 7 ]
]
