//! An explanation as one page for a browser: the source with the notes at their lines, the heading of
//! each variant, and pictures of the layouts.
//!
//! The page is one file that loads nothing. Source, notes and tables are HTML, and which variant is
//! shown is up to radio buttons and CSS, so all of that is there without scripts; the pictures are
//! drawn by `assets/page.js` from the JSON in the page.

use std::fmt::Write as _;

use super::data::{Explanation, KernelData, VariantData};
use super::figures;
use super::notes::{self, AtPlace, by_place};
use super::words;
use crate::syntax::lexer;
use crate::syntax::token::Token;

/// Renders an explanation; `variant` is the entry to show first, if not the one that the call takes.
#[must_use]
pub fn render(explanation: &Explanation, variant: Option<&str>) -> String {
    let title = explanation
        .files
        .first()
        .map_or("", |file| file.name.as_str());
    let title = title.rsplit(['/', '\\']).next().unwrap_or(title);
    let variants = variants(explanation);
    let chosen = variants
        .iter()
        .position(|(_, own, _)| Some(own.entry.as_str()) == variant)
        .or_else(|| variants.iter().position(|(_, _, chosen)| *chosen))
        .unwrap_or(0);
    // The end of a script is found before its text is looked at: no markup may be in it.
    let json = serde_json::to_string(explanation)
        .unwrap_or_default()
        .replace('<', "\\u003c");
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} explained</title>\n<style>\n{css}{rules}</style>\n</head>\n<body>\n",
        title = escaped(title),
        css = include_str!("assets/page.css"),
        rules = rules(variants.len()),
    );
    let target = &explanation.target;
    let _ = writeln!(
        page,
        "<header class=\"top\"><h1>{}</h1><p>compiled for {} ({}) by {}</p></header>",
        escaped(title),
        escaped(&target.name),
        escaped(&target.gpus),
        escaped(&explanation.compiler)
    );
    choices(&mut page, explanation, chosen);
    for (number, (kernel, variant, _)) in variants.iter().enumerate() {
        facts(&mut page, explanation, kernel, variant, number);
    }
    page.push_str("<main>\n<div>\n");
    for file in 0..explanation.files.len() {
        source(&mut page, explanation, &variants, file);
    }
    page.push_str("</div>\n");
    tiles(&mut page, &variants);
    page.push_str("</main>\n");
    let _ = write!(
        page,
        "<script type=\"application/json\" id=\"explanation\">{json}</script>\n<script>\n{}</script>\n</body>\n</html>\n",
        include_str!("assets/page.js")
    );
    page
}

/// All variants of all kernels, and whether the call of the kernel takes it.
type Variants<'a> = Vec<(&'a KernelData, &'a VariantData, bool)>;

fn variants(explanation: &Explanation) -> Variants<'_> {
    let kernels = explanation.kernels.iter();
    kernels
        .flat_map(|kernel| {
            let numbered = kernel.variants.iter().enumerate();
            numbered.map(move |(index, variant)| (kernel, variant, index == kernel.chosen))
        })
        .collect()
}

/// What belongs to another variant than the chosen one is not shown.
fn rules(count: usize) -> String {
    let mut rules = String::new();
    for number in 0..count {
        let _ = writeln!(
            rules,
            "body:has(#v-{number}:checked) [data-v]:not([data-v=\"{number}\"]) {{ display: none !important; }}"
        );
    }
    rules
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// A sentence; what is between backticks is code.
fn sentence(text: &str) -> String {
    let mut html = String::new();
    for (index, piece) in text.split('`').enumerate() {
        let piece = escaped(piece);
        if index % 2 == 1 {
            let _ = write!(html, "<code>{piece}</code>");
        } else {
            html.push_str(&piece);
        }
    }
    html
}

fn choices(page: &mut String, explanation: &Explanation, chosen: usize) {
    page.push_str("<nav class=\"variants\">\n");
    let mut number = 0;
    for kernel in &explanation.kernels {
        let generics: Vec<String> = kernel
            .generics
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let _ = write!(
            page,
            "<fieldset><legend title=\"{}\">kernel {}</legend>",
            escaped(&generics.join(", ")),
            escaped(&kernel.name)
        );
        for variant in &kernel.variants {
            let checked = if number == chosen { " checked" } else { "" };
            let missed = variant
                .remarks
                .iter()
                .filter(|remark| remark.missed)
                .count();
            let missed = match missed {
                0 => String::new(),
                missed => format!(" <b title=\"lost opportunities\">{missed}</b>"),
            };
            let _ = write!(
                page,
                "<span><input type=\"radio\" name=\"variant\" id=\"v-{number}\" value=\"{number}\"{checked}>\
                 <label for=\"v-{number}\">{}{missed}</label></span>",
                escaped(&variant.entry)
            );
            number += 1;
        }
        page.push_str("</fieldset>\n");
    }
    page.push_str("</nav>\n");
}

fn facts(
    page: &mut String,
    explanation: &Explanation,
    kernel: &KernelData,
    variant: &VariantData,
    number: usize,
) {
    let _ = write!(
        page,
        "<section class=\"facts\" data-v=\"{number}\">\n<dl>\n"
    );
    let generics: Vec<String> = kernel
        .generics
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let mut rows = words::heading(explanation, kernel, variant);
    if !generics.is_empty() {
        rows.insert(0, ("generics", generics.join(", ")));
    }
    for (name, what) in rows {
        let lines: Vec<String> = what
            .lines()
            .map(|line| format!("<span>{}</span>", sentence(line)))
            .collect();
        let _ = writeln!(page, "<dt>{name}</dt><dd>{}</dd>", lines.concat());
    }
    page.push_str("</dl>\n<div class=\"figures\">\n");
    if let Some(occupancy) = &variant.occupancy {
        page.push_str(&figures::occupancy(occupancy, variant.warps));
    }
    if let Some(roofline) = &variant.work.roofline
        && roofline.arithmetic.is_some()
    {
        page.push_str(&figures::roofline(roofline));
    }
    page.push_str("</div>\n</section>\n");
}

fn source(page: &mut String, explanation: &Explanation, variants: &Variants<'_>, file: usize) {
    let Some(text) = explanation.files.get(file) else {
        return;
    };
    // By the line in which a place ends, and the variant: what is to be said below it.
    let mut said: Vec<(u32, usize, String)> = Vec::new();
    let mut nowhere: Vec<(usize, String)> = Vec::new();
    for (number, (_, variant, _)) in variants.iter().enumerate() {
        for (place, at) in by_place(variant) {
            match place {
                Some(place) if place.file as usize == file => {
                    let span = text.text.get(place.start as usize..place.end as usize);
                    let html = note(&at, span, number);
                    said.push((place.end_line.min(place.line + 8), number, html));
                }
                None if file == 0 => nowhere.push((number, note(&at, None, number))),
                _ => {}
            }
        }
        said.extend(chips(variant, number, file));
    }
    if file > 0 && said.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "<section class=\"source\">\n<h2>{}</h2>",
        escaped(&text.name)
    );
    for (_, html) in nowhere {
        page.push_str(&html);
    }
    let marked = highlighted(file as u32, &text.text);
    for (line, html) in (1u32..).zip(marked.lines()) {
        let here: Vec<_> = said.iter().filter(|(at, ..)| *at == line).collect();
        let _ = writeln!(
            page,
            "<div class=\"row\" id=\"f{file}l{line}\"><span class=\"n\">{line}</span><code>{html}</code></div>"
        );
        for (_, _, html) in here {
            page.push_str(html);
        }
    }
    page.push_str("</section>\n");
}

fn note(at: &AtPlace<'_>, span: Option<&str>, number: usize) -> String {
    let missed = at.remarks.iter().any(|remark| remark.missed);
    let class = if missed { "note missed" } else { "note" };
    let mut html = format!("<div class=\"{class}\" data-v=\"{number}\">");
    if !at.title.is_empty() {
        let _ = write!(html, "<p class=\"title\">{}", sentence(&at.title));
        html.push_str("</p>");
    }
    if let Some(span) = span {
        let words: Vec<&str> = span.split_whitespace().collect();
        let short: String = words.join(" ").chars().take(90).collect();
        let _ = write!(html, "<p class=\"of\">{}</p>", escaped(&short));
    }
    if !at.label.is_empty() {
        let _ = write!(html, "<p class=\"label\">{}</p>", sentence(&at.label));
    }
    for details in &at.details {
        let _ = write!(html, "<p>{}</p>", sentence(details));
    }
    for timeline in &at.timelines {
        html.push_str(&timeline.picture());
    }
    for remark in &at.remarks {
        let class = if remark.missed { " class=\"lost\"" } else { "" };
        let _ = write!(
            html,
            "<p{class}>{} <span class=\"code\" title=\"tilec --explain {1}\">{1}</span></p>",
            sentence(&remark.message),
            remark.code
        );
        if let Some(help) = &remark.help {
            let _ = write!(html, "<p class=\"help\">{}</p>", sentence(help));
        }
    }
    html.push_str("</div>\n");
    html
}

/// Buttons for the tiles of each line.
fn chips(variant: &VariantData, number: usize, file: usize) -> Vec<(u32, usize, String)> {
    let mut lines: std::collections::BTreeMap<u32, String> = std::collections::BTreeMap::new();
    for (index, value) in variant.values.iter().enumerate() {
        let Some(place) = value.place.filter(|place| place.file as usize == file) else {
            continue;
        };
        let buttons = lines.entry(place.end_line.min(place.line + 8)).or_default();
        let _ = write!(
            buttons,
            "<button type=\"button\" data-value=\"{index}\" title=\"{}\">{}</button>",
            escaped(&value.ty),
            escaped(&value.name)
        );
    }
    let lines = lines.into_iter().map(|(line, buttons)| {
        let html = format!("<div class=\"chips\" data-v=\"{number}\">{buttons}</div>\n");
        (line, number, html)
    });
    lines.collect()
}

/// The source with its words coloured: keywords, numbers and texts, comments.
fn highlighted(file: u32, text: &str) -> String {
    let mut html = String::new();
    let mut at = 0;
    let between = |html: &mut String, from: usize, to: usize| {
        for (index, line) in text
            .get(from..to)
            .unwrap_or_default()
            .split('\n')
            .enumerate()
        {
            if index > 0 {
                html.push('\n');
            }
            let code = line.find("//").unwrap_or(line.len());
            html.push_str(&escaped(&line[..code]));
            if code < line.len() {
                let _ = write!(html, "<span class=\"c\">{}</span>", escaped(&line[code..]));
            }
        }
    };
    for token in lexer::lex(file, text).tokens {
        let (start, end) = (token.start as usize, token.end as usize);
        if start < at {
            continue;
        }
        between(&mut html, at, start);
        let word = escaped(text.get(start..end).unwrap_or_default());
        let class = match token.token {
            own if own.is_keyword() => "k",
            Token::Int | Token::Float | Token::Str => "l",
            _ => "",
        };
        if class.is_empty() {
            html.push_str(&word);
        } else {
            let _ = write!(html, "<span class=\"{class}\">{word}</span>");
        }
        at = end;
    }
    between(&mut html, at, text.len());
    html
}

/// The tiles in words, and the room for their picture.
fn tiles(page: &mut String, variants: &Variants<'_>) {
    page.push_str(include_str!("assets/picture.html"));
    page.push_str(
        "<div class=\"list\"><table>\n<thead><tr><th>line</th><th>tile</th><th>type</th><th>from neighbours outwards</th></tr></thead>\n<tbody>\n",
    );
    for (number, (_, variant, _)) in variants.iter().enumerate() {
        for (index, value) in variant.values.iter().enumerate() {
            let line = value
                .place
                .map_or_else(String::new, |place| place.line.to_string());
            let _ = writeln!(
                page,
                "<tr data-v=\"{number}\" data-value=\"{index}\"><td>{line}</td><td class=\"name\">{}</td><td class=\"type\">{}</td><td>{}</td></tr>",
                escaped(&value.name),
                escaped(&value.ty),
                escaped(&notes::layout(&variant.layouts[value.layout]))
            );
        }
    }
    page.push_str("</tbody></table></div>\n</section>\n");
}
