/**
 * The repository of the build story: a spec, a plan of six tasks, and two programs in the place of coding agents. They
 * get what real agents get, their prompt, and answer the same way each time.
 */

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commitFirst } from '../first-commit.ts'

/**
 * Writes the part of the task in its prompt. What goes wrong is decided by the prompt alone:
 * - task 2 lacks its test until a review says so;
 * - task 3 has a wrong sum until the runner notes say so;
 * - task 4 lacks its test too; after the review it reports that it is stuck, until the watchdog rewrites its prompt;
 * - task 5 waits after half of its work, as long as the file `hold` is there: until its daemon is killed;
 * - without a task, it resolves the conflict that the prompt names.
 */
const maker = `
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
const prompt = readFileSync(0, 'utf8')
const task = Number(/^## Your task \\((\\d+) of/m.exec(prompt)?.[1] ?? 0)
const has = (text) => prompt.includes(text)
const write = (name, body, test) => {
  mkdirSync('src', { recursive: true })
  mkdirSync('test', { recursive: true })
  writeFileSync(\`src/\${name}.mjs\`, body)
  if (test === undefined) return
  const use = \`import assert from 'node:assert'\\nimport * as part from '../src/\${name}.mjs'\\n\`
  writeFileSync(\`test/\${name}.test.mjs\`, \`\${use}\${test}\\n\`)
}
const parts = {
  1: () => write('price', 'export const price = (item) => item.cents * item.count\\n', 'assert.equal(part.price({ cents: 250, count: 2 }), 500)'),
  2: () => write('cart', 'export const add = (cart, item) => [...cart, item]\\n', has('No test for cart') ? 'assert.deepEqual(part.add([], 1), [1])' : undefined),
  3: () => write('total', \`import { price } from './price.mjs'\\nexport const total = (cart) => cart.reduce((sum, item) => sum + price(item), \${has('1 == 0') ? 0 : 1})\\n\`, 'assert.equal(part.total([]), 0)'),
  4: () => write('tax', 'export const tax = (cents) => Math.round(cents * 0.2)\\n', has('## Change your approach') ? 'assert.equal(part.tax(100), 20)' : undefined),
  5: () => write('receipt', 'export const receipt = (cart) => cart.map((item) => item.name).join(", ")\\n', 'assert.equal(part.receipt([{ name: "tea" }]), "tea")'),
  6: () => writeFileSync('README.md', '# Shop\\n\\nSells tea.\\n'),
}
if (task === 4 && has('No test for tax') && !has('## Change your approach')) {
  console.log('I am stuck.')
  process.exit(1)
}
if (task === 5 && existsSync(process.argv[2] + '/hold')) {
  write('receipt', 'export const receipt = (cart) => {\\n')
  console.log('half done')
  await setTimeout(600_000)
}
if (task === 0) {
  const theirs = /Sells (\\w+) too/.exec(readFileSync('README.md', 'utf8'))?.[1] ?? 'nothing'
  writeFileSync('README.md', \`# Shop\\n\\nSells tea.\\nSells \${theirs} too.\\n\`)
  console.log('Kept both lines of README.md.')
} else {
  parts[task]()
  console.log(\`Implemented task \${task}.\`)
}
`

/** Passes a task if there is a test for the file that it names. */
const reviewer = `
import { existsSync, readFileSync } from 'node:fs'
const prompt = readFileSync(0, 'utf8')
const token = [...prompt.matchAll(/"token": "([0-9a-f]{32})"/g)].at(-1)[1]
const name = /^## The task\\n\\n.*src\\/(\\w+)\\.mjs/m.exec(prompt)?.[1]
const passes = name === undefined || existsSync(\`test/\${name}.test.mjs\`)
const reasons = passes ? [] : [{ text: \`No test for \${name}.\`, file: \`src/\${name}.mjs\` }]
console.log('I read the files.\\n\`\`\`json')
console.log(JSON.stringify({ token, verdict: passes ? 'pass' : 'fail', reasons }))
console.log('\`\`\`')
`

const check = `
import { readdirSync, readFileSync } from 'node:fs'
if (/^[<>=]{7}/m.test(readFileSync('README.md', 'utf8'))) throw new Error('README.md has a conflict')
for (const name of readdirSync('test')) await import(new URL('../test/' + name, import.meta.url))
`

export const plan = `# Plan

- [ ] Write the price of an item in src/price.mjs
- [ ] Add items to a cart in src/cart.mjs
- [ ] Write the total of a cart in src/total.mjs
- [ ] Write the tax in src/tax.mjs
- [ ] Write the receipt in src/receipt.mjs
- [ ] Say in README.md what the shop sells
`

const loopFile = (stage: string): string => `loop: build
agents:
  maker: { command: [node, tools/maker.mjs, ${stage}] }
  reviewer: { command: [node, tools/reviewer.mjs] }
checks: { test: node tools/check.mjs }
scope: ['**']
seals: { paths: [tools/**] }
certify: { dependencies: none, teeth: false }
sandbox: { readOnly: [${stage}] }
workspace: ..
limits: { iterations: 14 }
`

export interface ShopRepository {
  readonly folder: string
  readonly checkout: string
  readonly stage: string
  git(...args: readonly string[]): string
  /** A commit with these files on a branch, without a checkout. */
  commitTo(branch: string, files: Readonly<Record<string, string>>): void
  /** All files of the checkout, what git says of it, and its index. */
  seen(): Readonly<Record<string, string>>
}

const identity = ['-c', 'user.name=A', '-c', 'user.email=a@localhost']

const environmentIn = (home: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
})

const createGit =
  (cwd: string, home: string) =>
  (...args: readonly string[]): string =>
    execFileSync('git', [...identity, ...args], {
      cwd,
      env: environmentIn(home),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })

/** Below `folder`. */
export function createShop(
  folder: string,
  more: Readonly<Record<string, string>> = {},
): ShopRepository {
  const checkout = join(folder, 'shop')
  const stage = join(folder, 'stage')
  mkdirSync(stage)
  writeFileSync(join(stage, 'hold'), '')
  const files = {
    'README.md': '# Shop\n',
    'specs/shop.md': '# Shop\n\nA small shop: prices, a cart, its total, tax and a receipt.\n',
    'specs/planning/shop-plan.md': plan,
    'specs/shop.yaml': loopFile(stage),
    'test/readme.test.mjs': '',
    'tools/maker.mjs': maker,
    'tools/reviewer.mjs': reviewer,
    'tools/check.mjs': check,
    ...more,
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(checkout, name)), { recursive: true })
    writeFileSync(join(checkout, name), text)
  }
  chmodSync(join(checkout, 'tools/check.mjs'), 0o755)
  const git = createGit(checkout, folder)
  commitFirst(checkout, environmentIn(folder))
  const seen = (): Readonly<Record<string, string>> => ({
    ...filesOf(checkout),
    status: git('status', '--porcelain', '--ignored').replace('!! logs/\n', ''),
    head: git('rev-parse', 'HEAD') + git('symbolic-ref', 'HEAD'),
    index: readFileSync(join(checkout, '.git/index')).toString('hex'),
  })
  const commitTo: ShopRepository['commitTo'] = (branch, changes) => {
    const other = join(folder, 'other')
    git('clone', '-q', checkout, other)
    const there = createGit(other, folder)
    for (const [name, text] of Object.entries(changes)) writeFileSync(join(other, name), text)
    there('commit', '-q', '-a', '-m', 'of others')
    there('push', '-q', 'origin', `HEAD:refs/heads/${branch}`)
  }
  return { folder, checkout, stage, git, commitTo, seen }
}

/** Without the repository itself, and without the files of runs, which git ignores. */
function filesOf(checkout: string): Readonly<Record<string, string>> {
  const names = readdirSync(checkout, { recursive: true, encoding: 'utf8' })
  const own = names.filter((name) => !/^(?:\.git|logs)(?:\/|$)/.test(name)).toSorted()
  return Object.fromEntries(
    own.map((name) => {
      const found = lstatSync(join(checkout, name))
      const content = found.isFile() ? readFileSync(join(checkout, name)) : ''
      const digest = createHash('sha256').update(content).digest('hex')
      return [name, `${found.mode.toString(8)} ${found.mtimeMs} ${digest}`]
    }),
  )
}
