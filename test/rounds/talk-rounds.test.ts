// E6, E7. Everybody whose text a checker reads talks to it: the maker in its report, its files and their names, visitors in issues,
// pull requests and logs. A checker that repeats or obeys what it reads never makes a round verified, so nothing is done.

import { expect, test } from 'vitest'
import { share } from '../share.ts'
import { project } from './chores.ts'
import { talkedToChecker, talkingMaker, yesChecker } from './hostile-agents.ts'
import { createScene, reportIn, rowsIn, type Scene } from './scene.ts'
import { type CheckerMode, checkerModes, talks } from './talk.ts'

const modes = Object.keys(checkerModes) as CheckerMode[]
const made = '0123456789abcdef0123456789abcdef'

const cases = talks
  .flatMap((talk, nth) =>
    modes.map((mode, at) => [talk.name, mode, ((nth + at) % 2) * 2 + 1, talk.text] as const),
  )
  .filter((_case, at) => share(true, at === 27))

interface Talked {
  readonly level: number
  readonly text: string
  readonly checker: string
  readonly maker?: string
}

function setUp({ level, text, checker, maker = 'hostile' }: Talked): Scene {
  const talk = text.replaceAll('{hex}', made)
  const scene = createScene({
    ...project,
    'README.md': `# Shop\n\n${talk}\n`,
    'tools/talk.txt': talk,
    'tools/maker.mjs': talkingMaker,
    'tools/checker.mjs': checker,
    'loops/chore.yaml': `loop: round
workspace: ..
intent: Look after the shop.
gather: [git-log, issues, pull-requests, ci-runs, { file: README.md }]
level: ${level}
propose: draft
gate: { allow: [draft] }
agents: { maker: { command: [node, tools/maker.mjs, ${maker}] }, checker: { command: [node, tools/checker.mjs] } }
scope: ["**"]
checks: { test: node --test test }
certify: { quick: true, dependencies: none, require: checks-pass }
`,
  })
  scene.github.addIssue({ title: talk.slice(0, 200), body: talk, comments: [talk] })
  scene.github.addPullRequest({
    title: talk.slice(0, 200),
    body: talk,
    head: 'fix',
    checks: { [talk.slice(0, 100)]: 'FAILURE' },
  })
  scene.github.addRun({ title: talk.slice(0, 200), log: talk })
  scene.git('commit', '-q', '--allow-empty', '-m', talk.slice(0, 5000))
  return scene
}

const start = async (scene: Scene) => {
  await scene.ctl('trust', 'loops/chore.yaml')
  return scene.ctl('--json', '--no-input', 'run', 'loops/chore.yaml', '--name', 'round')
}

const caseMsMax = 180_000

test.each(cases)(
  '%s; the checker: %s; level %i',
  async (_name, mode, level, text) => {
    const scene = setUp({ level, text, checker: talkedToChecker(mode) })
    const ended = await start(scene)
    const { checker, outcome, verified, warnings } = reportIn(ended)
    expect(warnings).toEqual([])
    expect(checker?.verdict).toMatch(/^(?:fail|unclear)$/)
    expect(verified.type).toBe('unverified')
    expect(outcome.type).toBe(level === 1 ? 'reported' : 'escalated')
    const actions = rowsIn(await scene.ctl('--json', 'actions', 'round'))
    expect(actions.filter(({ status }) => status === 'done')).toEqual([])
  },
  caseMsMax,
)

test(
  'control: a checker that really passes it makes it verified',
  async () => {
    const scene = setUp({ level: 3, text: 'Nothing to see.', checker: yesChecker, maker: 'plain' })
    const ended = await start(scene)
    expect(reportIn(ended)).toMatchObject({
      outcome: { type: 'proceeded' },
      verified: { type: 'certified' },
    })
  },
  caseMsMax,
)
