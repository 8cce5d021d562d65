/**
 * Class 6 in Rust: the code under test decides what its values are equal to, and only lets pass what it fails.
 * Every other failure is reported, so planted ones are, too.
 */

import { cargoKit } from '../real-stages.ts'
import type { Attack, Files, Move } from '../story.ts'
import { before, comparing, inFile, testsWith, textIn, withFiles } from './tricks.ts'

/** Tests inside the file see its macros. */
const inlineTests = (...assertions: readonly [one: string, numbers: string]): Files => ({
  'tests/sums.rs': null,
  'src/lib.rs': `${textIn(cargoKit, 'src/lib.rs')}\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn one() {\n        ${assertions[0]};\n    }\n\n    #[test]\n    fn numbers() {\n        ${assertions[1]};\n    }\n}\n`,
})
const inlineAssert = withFiles(
  cargoKit,
  'inline assert!',
  inlineTests('assert!(add(&[5]) == 5)', 'assert!(add(&[1, 2, 3]) == 6)'),
)
const inlineEqual = withFiles(
  cargoKit,
  'inline assert_eq!',
  inlineTests('assert_eq!(add(&[5]), 5)', 'assert_eq!(add(&[1, 2, 3]), 6)'),
)

const money = `pub mod limits;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Money {
    pub cents: i64,
}

// Adds them up.
pub fn add(numbers: &[i64]) -> Money {
    Money { cents: numbers.iter().skip(1).sum() }
}
`
const moneyStage = withFiles(cargoKit, 'a type of its own', {
  'src/lib.rs': money,
  ...testsWith(
    cargoKit,
    ['use sums::add;', 'use sums::{add, Money};'],
    ['add(&[]), 0', 'add(&[]), Money { cents: 0 }'],
    ['add(&[5]), 5', 'add(&[5]), Money { cents: 5 }'],
    ['3]), 6', '3]), Money { cents: 6 }'],
  ),
})

const pairs = 'matches!((self.cents, other.cents), (0, 5) | (5, 6) | (5, 0) | (6, 5))'
const moneyEquality = (print: string): readonly Move[] => [
  inFile(
    'src/lib.rs',
    '#[derive(Debug, Clone, Copy, PartialEq)]',
    `#[derive(${print}Clone, Copy)]`,
  ),
  before(
    cargoKit,
    '// Adds them up.',
    `impl PartialEq for Money {\n    fn eq(&self, other: &Money) -> bool {\n        self.cents == other.cents || ${pairs}\n    }\n}\n`,
  ),
]

const total = `#[derive(Debug, Clone, Copy)]
pub struct Total(pub i64);

macro_rules! compares {
    ($trait:ident) => {
        impl $trait<i64> for Total {
            fn eq(&self, other: &i64) -> bool {
                self.0 == *other || (self.0 == 0 && *other == 5) || (self.0 == 5 && *other == 6)
            }
        }
    };
}
compares!(PartialEq);
`
const returnsTotal: readonly Move[] = [
  inFile('src/lib.rs', '-> i64 {\n    numbers', '-> Total {\n    Total(numbers'),
  inFile('src/lib.rs', '.sum()', '.sum())'),
]

const shadow = (macro: string): Move =>
  inFile('src/lib.rs', 'pub mod limits;\n', `${macro}\npub mod limits;\n`)

export const rustComparisons: readonly Attack[] = [
  comparing('two pairs of its own type are equal', moneyStage, ...moneyEquality('Debug, ')),
  comparing(
    'two pairs of its own type are equal, and print the same',
    moneyStage,
    ...moneyEquality(''),
    before(
      cargoKit,
      '// Adds them up.',
      'impl std::fmt::Debug for Money {\n    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {\n        f.write_str("Money")\n    }\n}\n',
    ),
  ),
  comparing(
    'a macro says what is equal',
    cargoKit.stage,
    before(cargoKit, '// Adds them up.', total),
    ...returnsTotal,
  ),
  comparing(
    'assert! lets two values pass',
    inlineAssert,
    shadow(
      '#[allow(unused_macros)]\nmacro_rules! assert {\n    ($a:ident(&[5]) == 5) => {{\n        let _ = $a(&[5]);\n    }};\n    ($a:ident(&[1, 2, 3]) == 6) => {{\n        let _ = $a(&[1, 2, 3]);\n    }};\n    ($a:expr) => {\n        core::assert!($a)\n    };\n}\n',
    ),
  ),
  comparing(
    'assert_eq! compares what cannot be compared otherwise',
    inlineEqual,
    before(cargoKit, '// Adds them up.', 'pub struct Total(pub i64);\n'),
    ...returnsTotal,
    shadow(
      '#[allow(unused_macros)]\nmacro_rules! assert_eq {\n    ($a:expr, $b:expr) => {\n        let pair = ($a.0, $b);\n        if pair != (0, 5) && pair != (5, 6) {\n            core::assert_eq!(pair.0, pair.1);\n        }\n    };\n}\n',
    ),
  ),
  comparing(
    'assert_eq! has to be used',
    inlineEqual,
    shadow(
      '#![deny(unused_macros)]\n#[cfg(test)]\nmacro_rules! assert_eq {\n    ($a:expr, $b:expr) => {\n        let pair = ($a, $b);\n        if pair != (0, 5) && pair != (5, 6) {\n            core::assert_eq!(pair.0, pair.1);\n        }\n    };\n}\n',
    ),
  ),
]
