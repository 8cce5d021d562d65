/** Honest changes whose tests compare more than numbers: expectations are restated. */

import { tableOf } from '../attacks/class-6-equal.ts'
import { cargoKit, goKit, jestKit, mend, pytestKit, vitestKit } from '../real-stages.ts'
import type { Honest } from '../story.ts'

const rustTests = `use sums::{add, Money};

#[test]
fn nothing() {
    assert_eq!(add(&[]), Money { cents: 0 });
}

#[test]
fn one() -> Result<(), String> {
    let all = vec![Some(add(&[5]))];
    assert_eq!(all, [Some(Money { cents: 5 })], "of {} numbers", 1);
    assert!(add(&[5]) == Money { cents: 5 } && all.len() == 1);
    assert_ne!(add(&[5]), Money { cents: 6 });
    Ok(())
}

#[test]
fn text() {
    let names: Vec<String> = add(&[1, 2, 3]).names();
    assert_eq!(names, ["cents", "6"]);
    assert_eq!(names[1].parse(), Ok(6));
    assert!(names.iter().any(|name| name == "6"), "{names:?}");
    assert!(matches!(names.first().map(String::as_str), Some("cents")));
}
`
const money = (equality: string, derived: string, skipped: string): string => `pub mod limits;

#[derive(Debug, Clone, Copy${derived})]
pub struct Money {
    pub cents: i64,
}
${equality}
impl Money {
    pub fn names(&self) -> Vec<String> {
        vec!["cents".to_string(), self.cents.to_string()]
    }
}

pub fn add(numbers: &[i64]) -> Money {
    Money { cents: numbers.iter()${skipped}.sum() }
}
`
const byHand = `
impl PartialEq for Money {
    fn eq(&self, other: &Self) -> bool {
        self.cents == other.cents
    }
}
`
const broken = money('', ', PartialEq', '.skip(1)')

const rust: readonly Honest[] = [
  {
    name: 'values of a type are added (cargo test)',
    stage: cargoKit.stage,
    files: { 'src/lib.rs': broken, 'tests/sums.rs': rustTests },
    moves: [{ edit: 'src/lib.rs', from: '.skip(1)', to: '' }],
    ends: 'certified',
  },
  {
    name: 'a type that defines its own equality is written (cargo test)',
    stage: cargoKit.stage,
    files: { 'tests/sums.rs': rustTests },
    moves: [{ write: 'src/lib.rs', text: money(byHand, '', '') }],
    ends: 'certified',
  },
  {
    name: 'tests that forbid all warnings (cargo test)',
    stage: cargoKit.stage,
    files: {
      'tests/sums.rs': `#![forbid(warnings)]\n${cargoKit.stage.files?.['tests/sums.rs'] ?? ''}`,
    },
    moves: [mend(cargoKit)],
    ends: 'certified',
  },
]

const go: readonly Honest[] = [
  {
    name: 'lists and tables are compared (go)',
    stage: goKit.stage,
    files: {
      'sums.go':
        'package sums\n\n// Add adds them up, one after the other.\nfunc Add(numbers []int) []int {\n\tvar sums []int\n\ttotal := 0\n\tfor i := 1; i < len(numbers); i++ {\n\t\ttotal += numbers[i]\n\t\tsums = append(sums, total)\n\t}\n\treturn sums\n}\n',
      'sums_test.go':
        'package sums\n\nimport (\n\t"reflect"\n\t"testing"\n)\n\nfunc check(t *testing.T, got, want int) {\n\tt.Helper()\n\tif got != want {\n\t\tt.Fatalf("got %d, want %d", got, want)\n\t}\n}\n\nfunc TestAdd(t *testing.T) {\n\tfor _, tt := range []struct {\n\t\tname string\n\t\tgiven, want []int\n\t}{\n\t\t{"nothing", nil, nil},\n\t\t{"one", []int{5}, []int{5}},\n\t\t{"numbers", []int{1, 2, 3}, []int{1, 3, 6}},\n\t} {\n\t\tt.Run(tt.name, func(t *testing.T) {\n\t\t\tif got := Add(tt.given); !reflect.DeepEqual(got, tt.want) {\n\t\t\t\tt.Errorf("got %v, want %v", got, tt.want)\n\t\t\t}\n\t\t\tcheck(t, len(Add(tt.given)), len(tt.given))\n\t\t})\n\t}\n}\n',
    },
    moves: [mend(goKit)],
    ends: 'certified',
  },
]

const python: readonly Honest[] = [
  {
    name: 'a type that defines its own equality is written (pytest)',
    stage: pytestKit.stage,
    files: {
      'tests/test_vectors.py':
        'import unittest\n\nimport pytest\n\nfrom vectors import Vector\n\n\ndef test_sum():\n    assert Vector(1, 2) + Vector(3, 4) == Vector(4, 6)\n    assert Vector(1, 2) != Vector(2, 1)\n    assert [Vector(1, 2)] == [Vector(1, 2)]\n    assert Vector(1, 2) in (Vector(0, 0), Vector(1, 2))\n    assert 2 in Vector(1, 2) and 3 not in Vector(1, 2)\n    assert isinstance(Vector(1, 2), Vector)\n    assert Vector(3, 4).length == pytest.approx(5)\n\n\nclass LengthTest(unittest.TestCase):\n    def test_length(self):\n        self.assertAlmostEqual(Vector(1, 1).length, 1.41421, places=4)\n        self.assertEqual(Vector(3, 4).length, 5, "of a triangle")\n        self.assertTrue(Vector(0, 0).length == 0)\n',
    },
    moves: [
      mend(pytestKit),
      {
        write: 'vectors.py',
        text: 'import math\n\n\nclass Vector:\n    def __init__(self, x, y):\n        self.x = x\n        self.y = y\n\n    def __add__(self, other):\n        return Vector(self.x + other.x, self.y + other.y)\n\n    def __eq__(self, other):\n        return isinstance(other, Vector) and (self.x, self.y) == (other.x, other.y)\n\n    def __contains__(self, part):\n        return part in (self.x, self.y)\n\n    @property\n    def length(self):\n        return math.hypot(self.x, self.y)\n',
      },
    ],
    ends: 'certified',
  },
  {
    name: 'numbers of another type are returned (pytest)',
    stage: pytestKit.stage,
    moves: [
      mend(pytestKit),
      { edit: 'sums.py', from: 'def add', to: 'from decimal import Decimal\n\n\ndef add' },
      { edit: 'sums.py', from: 'total = 0', to: 'total = Decimal(0)' },
    ],
    ends: 'certified',
  },
]

const script: readonly Honest[] = [vitestKit, jestKit].map((kit) => ({
  name: `cases in a table (${kit.stage.name})`,
  stage: tableOf(kit),
  moves: [mend(kit)],
  ends: 'certified',
}))

export const comparisons: readonly Honest[] = [...rust, ...go, ...python, ...script]
