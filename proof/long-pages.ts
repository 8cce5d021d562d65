/** The dashboard in a real browser, on a real daemon with real runs. */

import type { LongSuite } from './long-suites.ts'

export const longPages: readonly LongSuite[] = [
  {
    name: 'dashboard.every-page',
    title: 'every page and every part of a run, light and dark, desktop and phone: axe, width',
    file: 'test/dashboard/pages.test.ts',
    casesMin: 8,
    isSlow: true,
  },
  {
    name: 'dashboard.stories',
    title: 'answers, comments, a killed daemon, schedules, the keyboard alone, notifications',
    file: 'test/dashboard/stories.test.ts',
    casesMin: 6,
    isSlow: true,
  },
  {
    name: 'dashboard.hostile-texts',
    title: '100 payloads in everything that others write, on every page',
    file: 'test/dashboard/hostile-texts.test.ts',
    casesMin: 2,
    isSlow: true,
  },
  {
    name: 'dashboard.hostile-pages',
    title: 'pages of other origins and ports, frames, names that point here, links used twice',
    file: 'test/dashboard/hostile-pages.test.ts',
    casesMin: 8,
    isSlow: true,
  },
  {
    name: 'dashboard.six-stories',
    title: 'the stories that npm test runs',
    file: 'test/e2e/dashboard.test.ts',
    casesMin: 6,
    isShared: true,
  },
]
