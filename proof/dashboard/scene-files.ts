/** The project of the scene: a small shop with a defect, and its loops. */

export const projectFiles: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
  'README.md': '# Shop\n\nAdds up carts.\n',
  'src/total.js': `/** What a cart costs, in cents. */
export function total(cart) {
  let sum = 0
  for (const item of cart) {
    sum = sum + item.cents
  }
  return sum
}
`,
  'test/total.test.js': `import assert from 'node:assert'
import { test } from 'node:test'
import { total } from '../src/total.js'

test('a cart with several of one item costs all of them', () => {
  assert.equal(total([{ cents: 250, count: 2 }]), 500)
})
test('an empty cart costs nothing', () => {
  assert.equal(total([]), 0)
})
`,
  'spec.txt': 'Prices are in cents.\n',
}

const certify = 'certify: { dependencies: none }'

/** An agent that needs two attempts: the second makes the tests pass. */
const fixTests = `description: Makes the tests pass.
input: { goal: Make the tests of the shop pass. }
prompt: |
  {{ input.goal }}
  {{ progress }}
agent:
  script:
    - - { call: read, args: { path: src/total.js } }
      - { call: edit, args: { path: src/total.js, old: sum + item.cents, new: sum + item.count } }
      - { say: "I count the items now. All tests pass." }
    - - { call: read, args: { path: src/total.js } }
      - { call: edit, args: { path: src/total.js, old: sum + item.count, new: sum + item.cents * item.count } }
      - { call: run, args: { command: node --test } }
      - { say: "The test said 500: each item costs its price times its count." }
checks: { test: node --test, readme: test -s README.md }
scope: [src/**]
${certify}
limits: { iterations: 10, cost: 2 }
`

/** It changes a file that it may not change without asking. */
const changeSpec = `description: Adds the currency to the specification.
prompt: Add the currency to spec.txt.
agent: { script: [[{ call: run, args: { command: "echo 'The currency is the euro.' >> spec.txt" } }, { say: "The specification names the currency now." }]] }
checks: { spec: test -s spec.txt }
seals: { paths: [spec.txt], changes: ask }
certify: { dependencies: none, teeth: false }
`

/** At work for minutes: it gets better, then worse, then prints and prints. It knows by the files how far it is. */
const migrateProgram = `import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
const price = 'export const price = (item) => item.cents / 100\\n'
if (!existsSync('src/money.js')) {
  writeFileSync('src/price.js', price)
  writeFileSync('src/money.js', 'export const money = (price) => price.toFixed(2)\\n')
  console.log('Prices are decimals now.')
} else if (existsSync('src/price.js')) {
  console.log('\\u001b[32mok\\u001b[0m 12 files')
  console.log('\\u001b[31mfailed\\u001b[0m 1 file: src/price.js')
  rmSync('src/price.js')
  console.log('I moved it elsewhere.')
} else {
  writeFileSync('src/price.js', price)
  for (let file = 1; file <= 600; file++) {
    console.log('converted ' + file + ' of 600')
    await setTimeout(1000)
  }
}
`

const migrate = `description: Moves the shop to decimal prices.
prompt: |
  Move all prices to decimals.
  {{ progress }}
agent: { command: [node, tools/migrate.mjs] }
checks:
  prices: { run: test -s src/price.js, existing: fix }
  names: { run: grep -q decimals README.md, existing: fix }
scope: [src/**, README.md]
${certify}
limits: { iterations: 8, cost: 3, time: 1h }
`

/** It changes nothing, so that it gets stuck. */
const tidyImports = `description: Sorts imports.
prompt: Sort the imports.
agent: { script: [[{ say: They are sorted. }], [{ say: They are sorted. }], [{ say: They are sorted. }]] }
checks: { sorted: { run: grep -q sorted src/total.js, existing: fix } }
certify: { dependencies: none, teeth: false }
limits: { iterations: 3, cost: 1 }
`

/** Proposes an action; earns its level. */
const draftNotes = `description: Drafts release notes for what was merged.
level: earned
gate: { allow: [draft] }
prompt: Write notes.md.
agent: { script: [[{ call: write, args: { path: notes.md, content: "Carts add up.\\n" } }, { say: Drafted the notes. }]] }
checks: { notes: test -s notes.md }
scope: [notes.md]
certify: { dependencies: none, teeth: false }
then: [draft]
`

/** Improves one word of the rules against four cases, without a model. */
const tuneTotals = `loop: tune
description: Finds the totals of invoices.
pick: policy
search: { passes: 1 }
apply: proven
`

const manifest = {
  workloadId: 'totals',
  artifactPaths: ['rules.txt'],
  casePaths: ['cases/*.txt'],
  expectedPaths: ['expected/{name}.txt'],
  runCommand: 'word=$(sed -n "s/^word: //p" rules.txt); sed -n "s/^$word: //p" {case} > {output}',
  outputPath: 'out/{name}.txt',
  evaluateCommand:
    'if cmp -s {output} {expected}; then echo \'{"pass": true}\'; else echo \'{"pass": false, "critique": "other"}\'; fi',
  maxIterations: 1,
  repeats: { baseline: 2, proof: 2 },
  knobs: { word: { type: 'choice', text: 'word: {value}\n', values: ['Sum', 'Total', 'Amount'] } },
}

const amounts = { north: '120', south: '75', east: '310', west: '42', center: '9' }

const invoices: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(amounts).flatMap(([name, amount]) => [
    [`cases/${name}.txt`, `Invoice ${name}\nTotal: ${amount}\n`],
    [`expected/${name}.txt`, `${amount}\n`],
  ]),
)

export const loopFiles: Readonly<Record<string, string>> = {
  'loops/fix-tests.yaml': fixTests,
  'loops/change-spec.yaml': changeSpec,
  'loops/migrate-prices.yaml': migrate,
  'loops/tidy-imports.yaml': tidyImports,
  'tools/migrate.mjs': migrateProgram,
  'loops/tune-totals.yaml': tuneTotals,

  'loops/draft-notes.yaml': draftNotes,
}

/** What the tuning loop works on, in a folder of its own: it changes the files there. */
export const workloadFiles: Readonly<Record<string, string>> = {
  'loop.manifest.json': JSON.stringify(manifest, undefined, 2),
  'rules.txt': 'word: Sum\n',
  ...invoices,
}
