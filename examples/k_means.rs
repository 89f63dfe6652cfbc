//! k-means over points that lie around four places: the middles that it finds are those places.

use latten::manual_seed;
use latten::prelude::*;

const PLACES: usize = 4;
const COUNT: usize = 1000;

fn main() -> Result<()> {
    manual_seed(3);
    let places = tensor![[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [8.0, 8.0]];
    let noise = Tensor::<f32>::randn(shape![COUNT, 2])?;
    let around = Tensor::<i64>::randint(0, PLACES, [COUNT])?;
    let points = places.index_select(0, &around)? + &noise;

    let middles = points.i(i![0..PLACES]).clone();
    for round in 1.. {
        let distances = (points.unsqueeze(1)? - &middles).square().sum_along(-1)?;
        let nearest = distances.argmin_along(1)?;
        let mut moved = 0.0;
        for place in 0..PLACES {
            let mine = points.index(nearest.eq(place as i64))?;
            let middle = mine.mean_along(0)?;
            moved += (&middle - middles.i(i![place])).abs().max().item();
            middles.i(i![place]).copy_(&middle)?;
        }
        println!("round {round}: the middles moved by {moved:.4}");
        if moved < 1e-4 {
            break;
        }
    }
    println!("{middles:.2}");
    let errors = (middles.unsqueeze(1)? - &places).square().sum_along(-1)?.sqrt().amin_along(0)?;
    assert!(errors.max().item() < 0.2, "{errors}");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_places_are_found() -> latten::Result<()> {
        super::main()
    }
}
