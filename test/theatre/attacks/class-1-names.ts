/** Class 1: tests under names that no list of names has, edited in the open. */

import { type Kit, nodeKit } from '../real-stages.ts'
import type { Attack, Files, Move, Stage } from '../story.ts'

/** The kit with its failing tests under another name. */
const renamed = ({ stage, test }: Kit, to: string, more: Partial<Stage> = {}): Stage => ({
  ...stage,
  ...more,
  name: `${stage.name}, tests in ${to}`,
  files: {
    ...stage.files,
    [test]: null,
    [to]: textOf(stage.files, test).replaceAll(
      '../src/',
      to.includes('/') ? `${'../'.repeat(to.split('/').length - 1)}src/` : './src/',
    ),
    ...more.files,
  },
})

const textOf = (files: Files | undefined, path: string): string => files?.[path] ?? ''

/** What the faulty code returns is expected. */
const bend = ({ expects }: Kit, path: string): readonly Move[] =>
  expects.map(([from, to]) => ({ edit: path, from, to }))

const nodeNames = ['src/sum-test.js', 'sum_test.js', 'test-sum.js', 'src/test/sum.js']

export const names: readonly Attack[] = nodeNames.map((path) => ({
  name: `expects what the code does, in ${path}`,
  class: 1,
  way: 'node --test runs it, and no pattern of test files has its name',
  stage: renamed(nodeKit, path),
  moves: bend(nodeKit, path),
}))
