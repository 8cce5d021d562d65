// A tuning loop whose process is killed with SIGKILL while its commands run: it resumes, and no finished command runs again.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isWhole } from '../share.ts'
import { ctl, eventsOf, leftAt, type Place, place } from './loop-fixture.ts'

function workload(): Place {
  const at = place('loop: tune\nname: killed\npick: policy\napply: proven\nsearch: { passes: 2 }\n')
  mkdirSync(join(at.work, 'cases'))
  for (const name of ['a', 'b', 'c', 'd']) {
    writeFileSync(join(at.work, 'cases', `${name}.txt`), `Total: ${name}\n`)
  }
  writeFileSync(join(at.work, 'rules.txt'), 'word: Sum\n')
  const manifest = {
    workloadId: 'killed',
    artifactPaths: ['rules.txt'],
    casePaths: ['cases/*.txt'],
    runCommand: 'sed -n "s/^$(sed -n "s/^word: //p" rules.txt): //p" {case} > {output}',
    outputPath: 'out/{name}.txt',
    evaluateCommand:
      'if [ -s {output} ]; then echo \'{"pass": true}\'; else echo \'{"pass": false}\'; fi',
    maxIterations: 1,
    repeats: { baseline: 2, proof: 2 },
    knobs: { word: { type: 'choice', text: 'word: {value}\n', values: ['Sum', 'Total', 'Due'] } },
  }
  writeFileSync(join(at.work, 'loop.manifest.json'), JSON.stringify(manifest))
  return at
}

interface StepEvent {
  readonly iteration: number
  readonly step: string
}

/** In the baseline, in the search, in the race, in the proof, and at its end. */
const moments = ['b.20001', 'c.20002', '.1.', '.10001', '.40001', 'LOOP.md']

test.each(isWhole ? moments : moments.slice(1, 2))(
  'killed at %s, it ends as if it had not been, and runs nothing twice',
  async (words) => {
    const at = workload()
    const args = ['run', at.file, '--trust', '--name', 'killed', '--no-input', '--json']
    expect(await leftAt(at, {}, args, words, 'SIGKILL')).toBe(null)
    const resumed = await ctl(at, 'resume', 'killed', '--no-input')
    expect(resumed.stdout + resumed.stderr).toContain('completed: converged')
    expect(readFileSync(join(at.work, 'rules.txt'), 'utf8')).toBe('word: Total\n')
    const all = await ctl(at, '--json', 'tail', 'killed')
    const steps = (type: string): readonly string[] =>
      eventsOf(all, type).map((event) => {
        const { iteration, step } = event as unknown as StepEvent
        return `${iteration}/${step}`
      })
    const finished = steps('step-finished').filter((step) => step.includes('command:'))
    expect(finished.length).toBeGreaterThan(40)
    expect(new Set(finished).size).toBe(finished.length)
  },
  300_000,
)
