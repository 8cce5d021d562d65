/** Long tests of tuning loops. */

import type { LongSuite } from './long-suites.ts'

export const longTuning: readonly LongSuite[] = [
  {
    name: 'tune.examples',
    title: 'the three examples of tuning as a user runs them, human choices from a file',
    file: 'test/e2e/tune-examples.test.ts',
    casesMin: 3,
    isShared: true,
  },
  {
    name: 'tune.command',
    title: 'loopctl tune without a manifest, and continued from its log on another machine',
    file: 'test/e2e/tune-command.test.ts',
    casesMin: 3,
    isShared: true,
  },
  {
    name: 'tune.kills',
    title: 'a tuning loop killed with SIGKILL while its commands run, in every phase',
    file: 'test/e2e/tune-kills.test.ts',
    casesMin: 6,
    isSlow: true,
  },
  {
    name: 'tune.size',
    title: 'what a tuning loop of 200 cases and 10 iterations keeps: below 100 MB',
    file: 'test/loops/tune/size.test.ts',
    casesMin: 1,
    isShared: true,
  },
]
