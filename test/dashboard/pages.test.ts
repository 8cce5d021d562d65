// Every page of the dashboard with data from real runs: nothing that axe calls serious, in light and dark, and nothing wider
// than a phone.

import { beforeAll, expect, test } from 'vitest'
import { seriousProblems } from '../../build/proof/dashboard/axe.js'
import { goTo, type Tab } from '../../build/proof/dashboard/browser.js'
import { startRuns } from '../../build/proof/dashboard/scene.js'
import { type Watched, watchScene } from './open-scene.ts'

/** Real runs, each with its worktree and certification. */
const hookMs = 400_000

let watched: Watched

beforeAll(async () => {
  watched = await watchScene()
  await startRuns(watched.scene())
}, hookMs)

const pages: readonly (readonly [name: string, path: string, shows: RegExp])[] = [
  ['Needs you', '/', /Needs you: 1 question/],
  ['a question', '/questions/add-currency', /Changes so far/],
  ['Runs', '/runs', /to-decimals/],
  ['Runs by repository', '/runs?group=repository', /[5-7] runs/],
  ['Runs by loop', '/runs?group=loop', /fix-tests/],
  ['Runs that match nothing', '/runs?name=none', /No run fits/],
  ['Loops', '/loops', /Missing for level 2/],
  ['Start', '/start', /Choose a loop/],
  ['Merges', '/merges', /Each branch has one line/],
  ['Machine', '/machine', /Sandbox/],
  ['no page', '/none', /There is no such page/],
]

/** Those of a run, from its own navigation. */
async function tabsOf(tab: Tab, run: string): Promise<readonly string[]> {
  await goTo(tab.page, `/runs/${run}`)
  const parts = tab.page.getByRole('navigation', { name: 'Parts of the run' }).getByRole('link')
  await parts.first().waitFor()
  const found = await Promise.all((await parts.all()).map((one) => one.getAttribute('href')))
  return found.map((path) => (path ?? '').replace(/^\/ui/, ''))
}

interface Look {
  readonly colorScheme: 'light' | 'dark'
  readonly viewport: { readonly width: number; readonly height: number }
}

const looks: readonly (readonly [string, Look])[] = (['light', 'dark'] as const).flatMap(
  (colorScheme) => [
    [`${colorScheme}, desktop`, { colorScheme, viewport: { width: 1280, height: 860 } }] as const,
    [`${colorScheme}, phone`, { colorScheme, viewport: { width: 375, height: 720 } }] as const,
  ],
)

const widthScript = 'document.documentElement.scrollWidth'

/** What is wrong with the page that is open, with its name. */
async function problemsOf({ page }: Tab, { viewport }: Look, name: string): Promise<string[]> {
  const width = await page.evaluate<number>(widthScript)
  const serious = await seriousProblems(page)
  return [
    ...(width > viewport.width ? [`${name}: ${width} pixels wide`] : []),
    ...serious.map((problem) => `${name}: ${problem}`),
  ]
}

test.each(looks)('all pages: %s', async (_name, look) => {
  const tab = await watched.tab(look)
  const problems: string[] = []
  for (const [name, path, shows] of pages) {
    await goTo(tab.page, path)
    await tab.page.getByRole('main').getByText(shows).first().waitFor({ state: 'attached' })
    problems.push(...(await problemsOf(tab, look, name)))
  }
  const file = watched.scene().file('fix-tests')
  await goTo(tab.page, `/start?file=${encodeURIComponent(file)}`)
  await tab.page.getByText('What it would do').waitFor()
  problems.push(...(await problemsOf(tab, look, 'Start a loop')))
  expect(problems).toEqual([])
})

test.each(looks)(
  'all parts of a run that is certified, and of one at work: %s',
  async (_name, look) => {
    const tab = await watched.tab(look)
    const problems: string[] = []
    for (const run of ['fix-totals', 'to-decimals', 'better-totals']) {
      const parts = await tabsOf(tab, run)
      expect(parts.length).toBeGreaterThanOrEqual(9)
      for (const path of parts) {
        await goTo(tab.page, path)
        await tab.page.getByRole('heading', { name: run }).waitFor()
        await tab.page.getByText('Loading…').waitFor({ state: 'detached' })
        problems.push(...(await problemsOf(tab, look, path)))
      }
    }
    expect(problems).toEqual([])
  },
)
