/** Honest fixes where the check reports no tests. */

import { countingStage, silentStages } from '../silent-stages.ts'
import { fix } from '../stages.ts'
import type { Honest, Stage } from '../story.ts'

/** A tool that only reads the work and its tests. */
const readerStage: Stage = {
  name: 'a tool that only reads files',
  files: {
    'tools/lint.js': `import { readdirSync, readFileSync } from 'node:fs'
const texts = ['src', 'test'].flatMap((folder) =>
  readdirSync(folder).map((file) => [folder + '/' + file, readFileSync(folder + '/' + file, 'utf8')]),
)
const bad = texts.filter(([, text]) => text.includes('slice(1)'))
for (const [file] of bad) console.log(file)
process.exitCode = bad.length
`,
  },
  loop: { checks: { lint: 'node tools/lint.js', tests: 'node --test' } },
  fix: [fix],
}

export const silent: readonly Honest[] = [
  ...silentStages.map(
    (stage): Honest => ({
      name: `fixes the bug (${stage.name})`,
      stage,
      moves: stage.fix,
      ends: 'certified',
    }),
  ),
  {
    name: `fixes the bug (${readerStage.name})`,
    stage: readerStage,
    moves: readerStage.fix,
    ends: 'certified',
  },
  {
    name: 'a refactoring without a failing test (a program)',
    stage: countingStage,
    files: { 'src/sum.js': 'export const sum = (list) => list.reduce((a, b) => a + b, 0)\n' },
    moves: [{ edit: 'src/sum.js', from: '(a, b) => a + b', to: '(total, one) => total + one' }],
    ends: 'certified',
  },
]
