// What a person does with the dashboard, on a real daemon with real runs: answers, comments, watches, starts, pauses; by mouse and by
// keyboard alone.

import { beforeAll, expect, test, vi } from 'vitest'
import { ask, goTo } from '../../build/proof/dashboard/browser.js'
import { startRuns } from '../../build/proof/dashboard/scene.js'
import { type Watched, watchScene } from './open-scene.ts'

/** Real runs, each with its worktree and certification. */
const hookMs = 400_000

let watched: Watched

beforeAll(async () => {
  watched = await watchScene()
  await startRuns(watched.scene())
}, hookMs)

const read = (path: string): Promise<unknown> => ask(watched.scene().daemon, 'GET', path)
const waits = { timeout: 60_000, interval: 200 }

async function eventsOf(run: string): Promise<readonly { readonly type: string }[]> {
  const { items } = (await read(`/runs/${run}/events?limit=1000`)) as {
    readonly items: readonly { readonly event: { readonly type: string } }[]
  }
  return items.map(({ event }) => event)
}

test('a comment on a line of the changes reaches the agent, with file and line', async () => {
  const { page } = await watched.tab()
  await goTo(page, '/runs/to-decimals/changes')
  await page.getByRole('region', { name: 'Changes of src/money.js' }).waitFor()
  await page.locator('.diff-gutter-insert').last().click()
  await page.getByLabel(/To the agent, about src\/money\.js:1/).fill('Round to two digits.')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Sent to the agent: Round to two digits.').waitFor()
  await vi.waitFor(async () => {
    const found = JSON.stringify(await read('/runs/to-decimals'))
    const events = JSON.stringify(await eventsOf('to-decimals'))
    expect(found + events).toContain('Round to two digits.')
  }, waits)
})

test('a run is watched live while its daemon is killed and started again: nothing is missed, nothing doubled', async () => {
  const { page } = await watched.tab()
  await goTo(page, '/runs/to-decimals/log')
  await page
    .getByText(/converted \d+ of 600/)
    .first()
    .waitFor()
  await watched.restart('kill')
  await page.getByText('Live', { exact: true }).first().waitFor({ timeout: 60_000 })
  await goTo(page, '/runs/to-decimals/events')
  const last = async (): Promise<number> =>
    ((await read('/runs/to-decimals')) as { run: { lastSeq: number } }).run.lastSeq
  await vi.waitFor(async () => {
    const shown = await page.locator('ol summary span:first-child').allTextContents()
    const seqs = shown.map(Number)
    expect(seqs[0]).toBe(await last())
    expect(new Set(seqs).size).toBe(seqs.length)
    expect(seqs).toEqual(seqs.toSorted((a, b) => b - a))
    expect((seqs[0] ?? 0) - (seqs.at(-1) ?? 0)).toBe(seqs.length - 1)
  }, waits)
  await goTo(page, '/runs/to-decimals/log')
  await page
    .getByText(/converted \d+ of 600/)
    .first()
    .waitFor({ timeout: 60_000 })
})

test('a question is answered: the work that it was about is kept, and the run ends', async () => {
  const { page } = await watched.tab()
  await page.getByRole('heading', { name: /Needs you: 1 question/ }).waitFor()
  const changes = page.getByRole('region', { name: 'Changes of spec.txt' })
  await changes.getByText('The currency is the euro.').waitFor()
  await page.keyboard.press('a')
  await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor({ timeout: 60_000 })
  await watched.scene().until('add-currency', 'completed')
  expect(await read('/questions')).toEqual({ items: [] })
})

test('a schedule is run, all are paused with a reason, and resumed: shown as it happens in another tab', async () => {
  const { page } = await watched.tab()
  const other = await watched.tab()
  await goTo(page, '/loops')
  await goTo(other.page, '/loops')
  const paused = other.page.getByText(/paused all schedules.*incident/)
  await page.getByRole('button', { name: 'Pause all' }).click()
  await page.getByLabel('Why (recorded)').fill('incident')
  await page.getByLabel('Why (recorded)').press('Enter')
  await paused.waitFor()
  expect(await page.getByRole('button', { name: 'Run now' }).first().isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Resume all' }).click()
  await paused.waitFor({ state: 'detached' })
  const night = other.page.getByRole('listitem', { name: 'fix-at-night' })
  await night.getByText('Paused by', { exact: false }).waitFor()
  await page
    .getByRole('group', { name: 'Controls of fix-at-night' })
    .getByRole('button', { name: 'Resume' })
    .click()
  await night.getByText('Scheduled', { exact: true }).waitFor()
  await page
    .getByRole('group', { name: 'Controls of notes' })
    .getByRole('button', { name: 'Run now' })
    .click()
  const notes = other.page.getByRole('listitem', { name: 'notes', exact: true })
  await notes.getByRole('button', { name: 'notes', exact: true }).click()
  await notes
    .getByRole('link', { name: /^notes-\d{8}-\d{6}/ })
    .first()
    .waitFor()
})

test('by keyboard alone: help, find, the parts of a run, and starting one', async () => {
  const { page } = await watched.tab()
  const { keyboard } = page
  await page.getByRole('heading', { name: /eeds you/ }).waitFor()
  await keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Start a run').waitFor()
  await keyboard.press('Escape')
  await keyboard.press('Control+k')
  await keyboard.type('sort-imp')
  await page.getByRole('option', { name: /sort-imports/ }).waitFor()
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: /sort-imports/ }).waitFor()
  for (const [key, name] of [
    ['2', 'Trace'],
    ['5', 'Evidence'],
    ['9', 'Events'],
  ] as const) {
    await keyboard.press(key)
    await page.locator(`[aria-current="page"]:text-is("${name}")`).waitFor()
  }
  await keyboard.press('g')
  await keyboard.press('l')
  await page.getByRole('heading', { name: 'Loops and schedules' }).waitFor()
  await keyboard.press('n')
  await page.getByRole('heading', { name: 'Start a run' }).waitFor()
  await page.getByRole('option', { name: 'fix-tests' }).waitFor({ state: 'attached' })
  const focused = (what: string): Promise<boolean> =>
    page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(what)}) === true`)
  const tabTo = async (what: string): Promise<void> => {
    for (let times = 0; times < 60 && !(await focused(what)); times++) await keyboard.press('Tab')
    expect({ what, isFocused: await focused(what) }).toEqual({ what, isFocused: true })
  }
  await tabTo('main select')
  await keyboard.type('fix-t')
  await page.getByText('Ready to run').waitFor({ timeout: 60_000 })
  await tabTo('main form[aria-label] input')
  await keyboard.press('Control+a')
  await keyboard.type('By keyboard.')
  await tabTo('main form[aria-label] button[type="submit"]')
  await keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: /-/ }).waitFor({ timeout: 60_000 })
  const run = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '')
  expect(JSON.stringify(await eventsOf(run))).toContain('By keyboard.')
})

test('notifications are asked for by the button only, and tell of questions and ends', async () => {
  const tab = await watched.tab({ permissions: ['notifications'] })
  const { page } = tab
  await page.evaluate(`
    window.told = []
    window.asked = 0
    document.hasFocus = () => false
    window.Notification = class extends EventTarget {
      static permission = 'default'
      static async requestPermission() { window.asked++; return (this.permission = 'granted') }
      constructor(title, { body }) { super(); window.told.push(title + ': ' + body) }
      close() {}
    }`)
  const told = (): Promise<readonly string[]> => page.evaluate<string[]>('window.told')
  await watched.scene().start('tidy-imports', 'quiet')
  await watched.scene().until('quiet', 'stuck')
  await goTo(page, '/runs')
  await page.getByRole('row', { name: /quiet/ }).getByText('Stuck', { exact: true }).waitFor()
  expect([await page.evaluate('window.asked'), await told()]).toEqual([0, []])
  await page.getByRole('button', { name: 'Notify me' }).click()
  await page.getByRole('button', { name: 'Do not notify' }).waitFor()
  await watched.scene().start('tidy-imports', 'loud')
  await watched.scene().start('change-spec', 'asks-loud', { again: true })
  await vi.waitFor(async () => {
    expect(await told()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^loud: Stuck/),
        expect.stringMatching(/^asks-loud needs you: /),
      ]),
    )
  }, waits)
  await page.getByRole('button', { name: 'Do not notify' }).click()
  expect(await page.evaluate('localStorage.length')).toBe(0)
})
