//! Lines into an SVG file.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

/// One line.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// A picture with one pair of axes.
pub struct Chart<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    /// From how small a value on the vertical axis is logarithmic; `None`: it is linear and begins at 0.
    pub logarithmic_from: Option<f64>,
    pub lines: Vec<Line>,
}

const SIZE: (u32, u32) = (860, 420);
/// Told apart by people who see red and green alike (Okabe and Ito).
const COLOURS: [RGBColor; 7] = [
    RGBColor(213, 94, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 158, 115),
    RGBColor(0, 114, 178),
    RGBColor(204, 121, 167),
    RGBColor(90, 90, 90),
];

impl Chart<'_> {
    /// Writes the picture.
    pub fn write(&self, file: &Path) -> Result<(), Box<dyn Error>> {
        let area = SVGBackend::new(file, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let all = || self.lines.iter().flat_map(|line| &line.points);
        let x = 0.0..all().map(|point| point.0).fold(0.0, f64::max);
        let top = all().map(|point| point.1).fold(0.0, f64::max) * 1.1;
        match self.logarithmic_from {
            None => self.draw(&area, x, 0.0..top.max(f64::MIN_POSITIVE))?,
            Some(least) => self.draw(&area, x, (least..top.max(10.0 * least)).log_scale())?,
        }
        area.present()?;
        Ok(())
    }

    fn draw<'b, Y>(
        &self,
        area: &DrawingArea<SVGBackend<'b>, Shift>,
        x: std::ops::Range<f64>,
        y: Y,
    ) -> Result<(), Box<dyn Error>>
    where
        Y: plotters::coord::ranged1d::AsRangedCoord<Value = f64>,
        Y::CoordDescType: plotters::coord::ranged1d::ValueFormatter<f64>,
    {
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(64)
            .build_cartesian_2d(x, y)?;
        chart.configure_mesh().x_desc(self.x).y_desc(self.y).light_line_style(WHITE).draw()?;
        for (index, line) in self.lines.iter().enumerate() {
            let style = COLOURS[index % COLOURS.len()].stroke_width(2);
            let least = self.logarithmic_from.unwrap_or(0.0);
            let points = line.points.iter().map(|&(x, y)| (x, y.max(least)));
            chart
                .draw_series(LineSeries::new(points, style))?
                .label(&line.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(200, 200, 200))
            .draw()?;
        Ok(())
    }
}
