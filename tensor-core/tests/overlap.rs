//! What the geometry says of shared memory, against the bytes themselves, for every small tensor.

use std::collections::BTreeSet;

use latten_core::geometry::overlap::{Relation, SelfOverlap, relation, self_overlap};
use latten_core::geometry::strides::is_non_overlapping_and_dense;
use latten_core::geometry::{Dims, Geometry};

/// All geometries of that many dimensions whose sizes and strides are below these.
fn geometries(rank: usize, sizes: usize, strides: usize) -> Vec<Geometry> {
    let one: Vec<(usize, usize)> = (0..sizes).flat_map(|size| (0..strides).map(move |stride| (size, stride))).collect();
    let mut all = vec![Vec::new()];
    for _ in 0..rank {
        all = all.iter().flat_map(|dims: &Vec<_>| one.iter().map(move |&dim| [dims.as_slice(), &[dim]].concat())).collect();
    }
    let geometry = |dims: Vec<(usize, usize)>| {
        let (sizes, strides): (Vec<_>, Vec<_>) = dims.into_iter().unzip();
        Geometry { sizes: Dims::from_slice(&sizes), strides: Dims::from_slice(&strides), offset: 0 }
    };
    all.into_iter().map(geometry).collect()
}

/// Where the elements lie, in their order.
fn places(geometry: &Geometry) -> Vec<usize> {
    geometry.sizes.iter().zip(&geometry.strides).fold(vec![geometry.offset], |places, (&size, &stride)| {
        places.iter().flat_map(|place| (0..size).map(move |i| place + i * stride)).collect()
    })
}

fn bytes(geometry: &Geometry, itemsize: usize) -> BTreeSet<usize> {
    places(geometry).into_iter().flat_map(|place| place * itemsize..(place + 1) * itemsize).collect()
}

fn is_dense(geometry: &Geometry) -> bool {
    is_non_overlapping_and_dense(&geometry.sizes, &geometry.strides)
}

#[test]
fn elements_that_coincide_are_found() {
    let all = [geometries(1, 5, 4), geometries(2, 5, 7), geometries(3, 4, 6)].concat();
    for geometry in all {
        let places = places(&geometry);
        let different: BTreeSet<_> = places.iter().collect();
        let repeats = geometry.sizes.iter().zip(&geometry.strides).any(|(&size, &stride)| size > 1 && stride == 0);
        let expected = match () {
            () if different.len() == places.len() => SelfOverlap::None,
            () if repeats => SelfOverlap::Repeated,
            () => SelfOverlap::Hidden,
        };
        let found = self_overlap(&geometry);
        // Without elements nothing is asked.
        assert!(found == expected || places.is_empty(), "{geometry:?}: {found:?}, not {expected:?}");
    }
}

#[test]
fn tensors_that_share_bytes_are_found() {
    let all = [geometries(1, 4, 4), geometries(2, 4, 4)].concat();
    let mut seen = BTreeSet::new();
    for (input, output) in all.iter().flat_map(|input| all.iter().map(move |output| (input, output))) {
        for (offset, sizes) in [(0, [1, 1]), (1, [1, 1]), (2, [2, 2]), (0, [1, 2]), (1, [2, 1]), (3, [4, 1]), (2, [1, 4]), (5, [1, 1])] {
            let input = Geometry { offset, ..input.clone() };
            let output = Geometry { offset: 2, ..output.clone() };
            let (read, written) = (bytes(&input, sizes[0]), bytes(&output, sizes[1]));
            let found = relation(&input, sizes[0], &output, sizes[1]);
            seen.insert(format!("{found:?}"));
            let shares = read.intersection(&written).next().is_some();
            let right = match found {
                Relation::Disjoint => !shares,
                Relation::Identical => shares && sizes[0] == sizes[1] && places(&input) == places(&output),
                Relation::PartialDense => {
                    shares && is_dense(&input) && is_dense(&output) && !(read == written && input.strides == output.strides)
                }
                // Not too often: an input in the same order needs no copy.
                Relation::Mixed => {
                    shares
                        && !(sizes[0] == sizes[1]
                            && input.sizes == output.sizes
                            && input.strides == output.strides
                            && input.offset == output.offset)
                }
            };
            assert!(right, "{input:?} of {} bytes, {output:?} of {}: {found:?}", sizes[0], sizes[1]);
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["Disjoint", "Identical", "Mixed", "PartialDense"]);
}
