/**
 * The seven chores of the catalog with scripted agents: what is on GitHub before, what the maker finds and does about it, and
 * what its action changes. The agents are real programs in the sandbox that get the prompts which agents of users get.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scene } from './scene.ts'

export interface Chore {
  readonly name: string
  /** Files of the project besides the usual ones. */
  readonly files?: Readonly<Record<string, string>>
  /** Keys of the loop file that the test changes. */
  readonly keys?: string
  readonly changesFiles?: true
  readonly writesOnGithub?: boolean
  prepare(scene: Scene): void
  /** JavaScript: the body of `(prompt, write) => report`. */
  readonly maker: string
  /** What only the action changes. */
  effect(scene: Scene): readonly string[]
  readonly expected: readonly string[]
  /** What the report of the maker contains, which it knows only from its sources. */
  readonly found: RegExp
}

const fixedSum = 'export const sum = (a, b) => a + b\n'
const testOfSum = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sum } from '../src/sum.mjs'
test('sum', () => assert.equal(sum(2, 3), 5))
`

/** Every chore works in this project; its tests pass. */
export const project: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/sum.mjs': fixedSum,
  'test/sum.test.mjs': testOfSum,
  'README.md': '# Shop\n',
  'CHANGELOG.md': '# Changelog\n\n## 1.0.0\n\n- First release.\n',
  '.gitignore': 'node_modules\n',
}

/** `{chores}`: the makers by the intent of their loop. */
export const agentScript = (chores: readonly Pick<Chore, 'name' | 'maker'>[]): string => `
import { readFileSync, writeFileSync } from 'node:fs'
const prompt = readFileSync(0, 'utf8')
const token = [...prompt.matchAll(/"token": "([\\w-]{12,})"/g)].at(-1)?.[1]
const write = (path, text) => {
  try {
    writeFileSync(path, text)
    return 'written'
  } catch (error) {
    return error.code
  }
}
const makers = {
${chores.map(({ name, maker }) => `  '${name}': (prompt) => {\n${maker}\n  },`).join('\n')}
}
const name = process.argv[2]
if (token === undefined) console.log(makers[name](prompt))
else {
  const verdict = process.argv[3] ?? 'pass'
  const reasons = verdict === 'pass' ? [] : [{ text: 'Nothing supports it.' }]
  console.log('I compared the report with the data.\\n\`\`\`json\\n' + JSON.stringify({ token, verdict, reasons }) + '\\n\`\`\`')
}
`

const comments = ({ github }: Scene): readonly string[] => {
  const { issues, pulls } = github.read()
  return [...issues, ...pulls].flatMap(({ number, comments: all }) =>
    all
      .filter(({ viewerDidAuthor }) => viewerDidAuthor === true)
      .map(({ body }) => `${number}: ${body.replaceAll(/\s*<!--.*?-->\s*/gs, '')}`),
  )
}

const commentBlock = (on: string, text: string): string =>
  `'\`\`\`json\\n' + JSON.stringify({ comment: { id: /"id": "([0-9a-f]{32})"/.exec(prompt)?.[1], on: Number(${on}), text: ${text} } }) + '\\n\`\`\`'`

const nothing = (): readonly string[] => []

const triage: Chore = {
  name: 'daily-triage',
  prepare({ github }) {
    github.addIssue({ title: 'Checkout is down', labels: ['urgent'] })
    github.addRun({ title: 'nightly', log: 'Error: no such table\n' })
  },
  maker: `
    const issue = /#(\\d+) Checkout is down/.exec(prompt)?.[1]
    const run = /run (\\d+) failure/.exec(prompt)?.[1]
    const commit = /^([0-9a-f]{12}) \\d{4}-/m.exec(prompt)?.[1]
    return '1. Issue ' + issue + ' is urgent.\\n2. Run ' + run + ' failed: ' + prompt.includes('no such table') + '\\nNewest commit: ' + commit`,
  found: /1\. Issue 1 is urgent\.\n2\. Run 7000000000 failed: true\nNewest commit: [0-9a-f]{12}/,
  effect: nothing,
  expected: [],
}

const babysitter: Chore = {
  name: 'pr-babysitter',
  writesOnGithub: true,
  prepare({ github }) {
    github.addPullRequest({ title: 'Add tax', head: 'tax', checks: { test: 'FAILURE' } })
    github.addPullRequest({ title: 'Add tea', head: 'tea', checks: { test: 'SUCCESS' } })
  },
  maker: `
    const stuck = /#(\\d+) [^\\n]*\\n(?:(?!#\\d).*\\n)*checks: test failure/.exec(prompt)?.[1]
    return 'Pull request ' + stuck + ' is stuck.\\n' + ${commentBlock('stuck', "'The check test fails.'")}`,
  found: /Pull request 1 is stuck/,
  effect: comments,
  expected: ['1: The check test fails.'],
}

const ci: Chore = {
  name: 'ci-sweeper',
  changesFiles: true,
  files: { 'src/sum.mjs': 'export const sum = (a, b) => a - b\n' },
  prepare({ github }) {
    github.addRun({ title: 'main', log: 'not ok 1 - sum\n  expected: 5\n  actual: -1\n' })
  },
  maker: `
    const run = /run (\\d+) failure/.exec(prompt)?.[1]
    const how = write('src/sum.mjs', ${JSON.stringify(fixedSum)})
    return 'Run ' + run + ' fails because sum subtracts: ' + prompt.includes('actual: -1') + ', ' + how`,
  found: /Run 7000000000 fails because sum subtracts: true, (written|EROFS)/,
  effect: (scene) =>
    readFileSync(join(scene.repo, 'src/sum.mjs'), 'utf8') === fixedSum ? ['fixed'] : [],
  expected: ['fixed'],
}

const lockOf = (version: string): string =>
  `${JSON.stringify(
    {
      name: 'shop',
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { name: 'shop', dependencies: { 'left-pad': version } },
        'node_modules/left-pad': { version },
      },
    },
    null,
    2,
  )}\n`
const manifestOf = (version: string): string =>
  `{ "name": "shop", "type": "module", "scripts": { "test": "node --test" }, "dependencies": { "left-pad": "${version}" } }\n`

const dependencies: Chore = {
  name: 'dependency-sweeper',
  changesFiles: true,
  writesOnGithub: true,
  files: { 'package.json': manifestOf('1.1.3'), 'package-lock.json': lockOf('1.1.3') },
  // Nothing imports it, so nothing has to be installed; the person has decided that updates need no question.
  keys: 'certify: { dependencies: none, quick: true }\nscope: [package.json, package-lock.json]\nseals: { except: [package.json, package-lock.json] }\n',
  prepare: () => undefined,
  maker: `
    const newest = /left-pad 1\\.1\\.3 -> (\\S+)/.exec(prompt)?.[1]
    write('package.json', readFileSync('package.json', 'utf8').replaceAll('1.1.3', newest))
    const how = write('package-lock.json', readFileSync('package-lock.json', 'utf8').replaceAll('1.1.3', newest))
    return 'left-pad 1.1.3 to ' + newest + ', ' + how`,
  found: /left-pad 1\.1\.3 to 1\.3\.0, (written|EROFS)/,
  effect: ({ github, git }) =>
    github.read().pulls.map(({ headRefName }) => {
      const manifest = git('--git-dir', '../acme/shop.git', 'show', `${headRefName}:package.json`)
      return `pull request: ${manifest === manifestOf('1.3.0') ? '1.3.0' : manifest}`
    }),
  expected: ['pull request: 1.3.0'],
}

const changelog: Chore = {
  name: 'changelog-drafter',
  prepare({ git, write }) {
    write({ 'src/tea.mjs': 'export const tea = 250\n' })
    git('add', '.')
    git('commit', '-q', '-m', 'feat: sell tea')
  },
  maker: `
    const subject = /: (feat: sell tea)$/m.exec(prompt)?.[1]
    return '- Tea is for sale. (' + subject + ', after ' + /- (First release)/.exec(prompt)?.[1] + ')'`,
  found: /^- Tea is for sale\. \(feat: sell tea, after First release\)$/m,
  effect: ({ state }) =>
    existsSync(join(state, 'drafts'))
      ? readdirSync(join(state, 'drafts')).map((name) =>
          readFileSync(join(state, 'drafts', name), 'utf8').trim(),
        )
      : [],
  expected: ['- Tea is for sale. (feat: sell tea, after First release)'],
}

const cleanup: Chore = {
  name: 'post-merge-cleanup',
  prepare({ git, github }) {
    git('branch', 'done-with')
    github.addPullRequest({
      title: 'Sell tea',
      head: 'done-with',
      state: 'MERGED',
      body: 'Remove the flag later.',
    })
  },
  maker: `
    const branch = /^(done-with) [0-9a-f]{12} \\d{4}-\\d\\d-\\d\\d merged/m.exec(prompt)?.[1]
    return 'Branch ' + branch + ' is merged. Still open: ' + /Remove the flag later/.exec(prompt)?.[0]`,
  found: /Branch done-with is merged\. Still open: Remove the flag later/,
  effect: nothing,
  expected: [],
}

const issues: Chore = {
  name: 'issue-triage',
  writesOnGithub: true,
  prepare({ github }) {
    github.addIssue({ title: 'Price is wrong', comments: ['Thanks, we look into it.'] })
    github.addIssue({ title: 'It crashes' })
  },
  maker: `
    const open = [...prompt.matchAll(/^#(\\d+) .*\\(open;/gm)].map(([, number]) => number)
    const waiting = open.find((number) => !new RegExp('^#' + number + ' .*\\\\n(?:(?!#\\\\d).*\\\\n)*comment by', 'm').test(prompt))
    return 'Issue ' + waiting + ' has no answer.\\n' + ${commentBlock('waiting', "'Which version do you use?'")}`,
  found: /Issue 2 has no answer/,
  effect: comments,
  expected: ['2: Which version do you use?'],
}

export const chores: readonly Chore[] = [
  triage,
  babysitter,
  ci,
  dependencies,
  changelog,
  cleanup,
  issues,
]
