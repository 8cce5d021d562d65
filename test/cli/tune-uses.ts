/** A use of `loopctl tune`, which plans a loop of a small workload. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from '../e2e/loop-fixture.ts'

type Use = (args: readonly string[]) => Promise<unknown>

export async function planTuning(at: Place, use: Use): Promise<void> {
  const folder = join(at.state, '..', 'tuned')
  mkdirSync(join(folder, 'cases'), { recursive: true })
  writeFileSync(join(folder, 'cases', 'a.txt'), 'a\n')
  writeFileSync(join(folder, 'rules.txt'), 'x=1\n')
  writeFileSync(
    join(folder, 'loop.manifest.json'),
    JSON.stringify({
      workloadId: 'small',
      artifactPaths: ['rules.txt'],
      casePaths: ['cases/*.txt'],
      runCommand: 'cp {case} {output}',
      outputPath: 'out/{name}.txt',
      evaluateCommand: 'echo {}',
      knobs: { x: { type: 'choice', text: 'x={value}\n', values: ['1', '2'] } },
    }),
  )
  await use(['tune', '--workspace', folder, '--pick', 'policy', '--dry-run'])
}
