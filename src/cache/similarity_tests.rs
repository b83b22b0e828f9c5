use super::*;
use crate::random::{Rng, SeededRng};

fn key(name: &str) -> CacheKey {
    CacheKey::of_text(name)
}

fn index(dimensions: usize, threshold: f64) -> SimilarityIndex {
    SimilarityIndex::new(SimilarityConfig { dimensions, threshold }, 100).unwrap()
}

#[test]
fn embeddings_that_point_nowhere_are_refused() {
    let mut index = index(3, 0.9);
    let scope = key("model");
    for (embedding, error) in [
        (vec![], EmbeddingError::Dimensions { expected: 3, actual: 0 }),
        (vec![1.0; 4], EmbeddingError::Dimensions { expected: 3, actual: 4 }),
        (vec![0.0, f32::NAN, f32::NAN], EmbeddingError::NotFinite { position: 1 }),
        (vec![f32::INFINITY, 0.0, 0.0], EmbeddingError::NotFinite { position: 0 }),
        (vec![0.0, 0.0, f32::NEG_INFINITY], EmbeddingError::NotFinite { position: 2 }),
        (vec![0.0, -0.0, 0.0], EmbeddingError::Zero),
    ] {
        assert_eq!(index.insert(key("a"), scope, &embedding), Err(error), "{embedding:?}");
        assert_eq!(index.nearest(scope, &embedding), Err(error), "{embedding:?}");
    }
    assert!(index.is_empty());
}

#[test]
fn the_longest_and_shortest_embeddings_keep_their_direction() {
    let mut index = index(3, 1.0);
    let scope = key("model");
    index.insert(key("huge"), scope, &[f32::MAX, f32::MAX, 0.0]).unwrap();
    let tiny = f32::from_bits(1);
    let nearest = index.nearest(scope, &[tiny, tiny, 0.0]).unwrap().unwrap();
    assert_eq!((nearest.key, nearest.similarity > 0.999_99), (key("huge"), true));
    assert_eq!(index.nearest(scope, &[tiny, tiny, -tiny]), Ok(None));
}

#[test]
fn the_nearest_is_found_and_only_if_it_is_near_enough() {
    let mut index = index(2, 0.8);
    let scope = key("model");
    for degrees in [0, 90, 180] {
        let angle = f64::from(degrees).to_radians();
        index.insert(key(&degrees.to_string()), scope, &[angle.cos() as f32, angle.sin() as f32]).unwrap();
    }
    // Cosine 0.8 is at 36.87 degrees.
    for (degrees, expected) in
        [(10.0, Some("0")), (36.8, Some("0")), (36.9, None), (53.1, None), (53.2, Some("90")), (200.0, Some("180"))]
    {
        let angle = f64::to_radians(degrees);
        let nearest = index.nearest(scope, &[angle.cos() as f32, angle.sin() as f32]).unwrap();
        assert_eq!(nearest.map(|nearest| nearest.key), expected.map(key), "{degrees}");
        assert!(nearest.is_none_or(|nearest| nearest.similarity >= 0.799_9), "{nearest:?}");
    }
}

#[test]
fn removed_embeddings_leave_the_others_in_place() {
    let mut index = index(5, 0.99);
    let scope = key("model");
    let unit = |place: usize| {
        let mut embedding = [0.0; 5];
        embedding[place] = 2.0;
        embedding
    };
    let names = ["a", "b", "c", "d", "e"];
    for (place, name) in names.iter().enumerate() {
        index.insert(key(name), scope, &unit(place)).unwrap();
    }
    for (gone, place) in [("b", 1), ("e", 4), ("a", 0)] {
        assert!(index.remove(key(gone)) && !index.remove(key(gone)));
        assert_eq!(index.nearest(scope, &unit(place)), Ok(None));
    }
    for (name, place) in [("c", 2), ("d", 3)] {
        assert_eq!(index.nearest(scope, &unit(place)).unwrap().unwrap().key, key(name));
    }
    index.insert(key("c"), scope, &unit(0)).unwrap();
    assert_eq!(index.nearest(scope, &unit(2)), Ok(None), "replaced");
    assert_eq!(index.nearest(scope, &unit(0)).unwrap().unwrap().key, key("c"));
    assert_eq!((index.len(), index.is_empty()), (2, false));
}

#[test]
fn a_full_index_takes_no_more() {
    let mut index = SimilarityIndex::new(SimilarityConfig::new(1), 2).unwrap();
    let scope = key("model");
    assert_eq!(index.insert(key("a"), scope, &[1.0]), Ok(()));
    assert_eq!(index.insert(key("b"), scope, &[1.0]), Ok(()));
    assert_eq!(index.insert(key("c"), scope, &[1.0]), Err(EmbeddingError::Full { max_entries: 2 }));
    assert_eq!(index.insert(key("b"), scope, &[-1.0]), Ok(()), "in place of the old one");
    assert_eq!(index.len(), 2);
    let too_large = SimilarityIndex::new(SimilarityConfig::new(1), 1_000_001).unwrap_err();
    assert_eq!(too_large.field, "similarity.maxEntries");
}

#[test]
fn equal_embeddings_reach_a_threshold_of_one_whatever_their_length() {
    let rng = SeededRng::new(1);
    for dimensions in [1, 7, 31, 32, 33, 384, 1_536, 8_192] {
        let mut index = index(dimensions, 1.0);
        let embedding: Vec<f32> = (0..dimensions).map(|_| rng.next_unit() as f32 * 2.0 - 0.99).collect();
        index.insert(key("a"), key("model"), &embedding).unwrap();
        let nearest = index.nearest(key("model"), &embedding).unwrap();
        assert!(nearest.is_some_and(|nearest| nearest.similarity <= 1.0), "{dimensions}: {nearest:?}");
        // One number the other way round: every part of the product counts.
        if dimensions > 1 {
            for place in [0, dimensions / 2, dimensions - 1] {
                let mut other = embedding.clone();
                other[place] += 10.0 * dimensions as f32;
                assert_eq!(index.nearest(key("model"), &other), Ok(None), "{dimensions}, {place}");
            }
        }
    }
}
