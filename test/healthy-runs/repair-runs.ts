/** Healthy runs of `repair`: small projects with a defect that it finds. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedEvent } from '../../src/loop/index.ts'
import { ctl, endOf, place } from '../e2e/loop-fixture.ts'

interface Project {
  readonly name: string
  readonly code: string
  /** Calls and what they return. */
  readonly cases: readonly (readonly [call: string, result: string])[]
  /** What is right, and what is put in its place. */
  readonly defects: readonly (readonly [right: string, wrong: string])[]
}

const projects: readonly Project[] = [
  {
    name: 'clamp',
    code: 'if (n < low) return low\n  if (n > high) return high\n  return n',
    cases: [
      ['clamp(5, 1, 9)', '5'],
      ['clamp(0, 1, 9)', '1'],
      ['clamp(10, 1, 9)', '9'],
      ['clamp(9, 1, 9)', '9'],
    ],
    defects: [
      ['n < low', 'n > low'],
      ['return high', 'return low'],
      ['n > high', 'n < high'],
    ],
  },
  {
    name: 'total',
    code: 'let sum = 0\n  for (let at = 0; at < n.length; at++) sum += n[at]\n  return sum',
    cases: [
      ['total([1, 2, 3])', '6'],
      ['total([])', '0'],
      ['total([4])', '4'],
      ['total([2, 2])', '4'],
    ],
    defects: [
      ['sum = 0', 'sum = 1'],
      ['sum +=', 'sum -='],
      ['at = 0', 'at = 1'],
    ],
  },
  {
    name: 'leap',
    code: 'return (n % 4 === 0 && n % 100 !== 0) || n % 400 === 0',
    cases: [
      ['leap(2024)', 'true'],
      ['leap(1900)', 'false'],
      ['leap(2000)', 'true'],
      ['leap(2023)', 'false'],
    ],
    defects: [
      ['n % 4 === 0', 'n % 4 !== 0'],
      [') ||', ') &&'],
      ['0 && n', '0 || n'],
    ],
  },
  {
    name: 'largest',
    code: 'let best = n[0]\n  for (const one of n) if (one > best) best = one\n  return best',
    cases: [
      ['largest([3, 9, 4])', '9'],
      ['largest([1])', '1'],
      ['largest([-5, -2])', '-2'],
      ['largest([7, 2])', '7'],
    ],
    defects: [
      ['one > best', 'one < best'],
      ['n[0]', 'n[1]'],
      ['return best', 'return n'],
    ],
  },
  {
    name: 'between',
    code: 'return n >= low && n <= high',
    cases: [
      ['between(1, 1, 3)', 'true'],
      ['between(3, 1, 3)', 'true'],
      ['between(4, 1, 3)', 'false'],
      ['between(0, 1, 3)', 'false'],
    ],
    defects: [
      ['n >= low', 'n > low'],
      ['n <= high', 'n < high'],
      ['&&', '||'],
    ],
  },
  {
    name: 'even',
    code: 'return n % 2 === 0',
    cases: [
      ['even(2)', 'true'],
      ['even(3)', 'false'],
      ['even(0)', 'true'],
      ['even(7)', 'false'],
    ],
    defects: [
      ['===', '!=='],
      ['=== 0', '=== 1'],
      ['% 2', '* 2'],
    ],
  },
  {
    name: 'last',
    code: 'return n[n.length - 1]',
    cases: [
      ['last([1, 2, 3])', '3'],
      ['last([4])', '4'],
      ["last('ab')", "'b'"],
      ['last([])', 'undefined'],
    ],
    defects: [
      ['- 1', '+ 1'],
      ['- 1', '- 2'],
      [' - 1', ''],
    ],
  },
  {
    name: 'distance',
    code: 'return n < low ? low - n : n - low',
    cases: [
      ['distance(1, 4)', '3'],
      ['distance(4, 1)', '3'],
      ['distance(2, 2)', '0'],
      ['distance(-1, 1)', '2'],
    ],
    defects: [
      ['n < low', 'n > low'],
      ['low - n', 'low + n'],
      ['n - low', 'n + low'],
    ],
  },
]

interface Planted {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  /** Of the agent: which tests it holds back, and how long it searches. */
  readonly settings: string
}

/** Each defect, twice. */
const planted: readonly Planted[] = ['seed: 1', 'seed: 2, edits: 80'].flatMap((settings) =>
  projects.flatMap((project) =>
    project.defects.map((defect, nth) => ({
      name: `${project.name}-${nth + 1}`,
      files: filesOf(project, defect),
      settings,
    })),
  ),
)

function filesOf({ name, code, cases }: Project, [right, wrong]: readonly [string, string]) {
  const tests = cases.map(
    ([call, result]) => `test('${call}', () => assert.equal(${call}, ${result}))`,
  )
  return {
    [`src/${name}.js`]: `exports.${name} = function (n, low, high) {\n  ${code.replace(right, wrong)}\n}\n`,
    [`test/${name}.test.js`]: [
      "const assert = require('node:assert')",
      "const { test } = require('node:test')",
      `const { ${name} } = require('../src/${name}.js')`,
      ...tests,
      '',
    ].join('\n'),
  }
}

export const repairProjects: number = planted.length

/** The journal, without names of this machine; or how it ended instead. */
export async function runRepair(nth: number): Promise<readonly RecordedEvent[] | string> {
  const { name, files, settings } = planted[nth] ?? { name: 'none', files: {}, settings: '' }
  const at = place(
    `name: ${name}
agent: { repair: { time: 5m, ${settings} } }
checks: { test: { run: node --test test/, existing: fix } }
escalate: { deadline: 1s }
scope: ["src/**"]
certify: { quick: true, require: checks-pass, dependencies: none }
limits: { iterations: 50 }
`,
  )
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(at.work, path, '..'), { recursive: true })
    writeFileSync(join(at.work, path), text)
  }
  const ended = await ctl(at, '--json', 'run', at.file, '--trust', '--name', 'story')
  if (ended.code !== 0) return `${name}, ${settings}: ${JSON.stringify(endOf(ended).outcome)}`
  const { stdout } = await ctl(at, '--json', 'tail', 'story')
  return stdout
    .replaceAll(join(at.work, '..'), '/project')
    .replaceAll(process.execPath, 'node')
    .replaceAll(/"owner":"[^"]*"/g, '"owner":"generator"')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedEvent)
}
