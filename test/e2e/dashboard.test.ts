// The dashboard in a real browser, with real runs of a real daemon.

import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { seriousProblems } from '../../build/proof/dashboard/axe.js'
import { launchBrowser, newLink as linkOf } from '../../build/proof/dashboard/browser.js'
import { afterFile, afterStory } from '../after.ts'
import { type StartedDaemon, startDaemon } from '../daemon/start-daemon.ts'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'

const payload = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>'

const curious = `name: curious
workspace: work
prompt: Change it.
agent: { script: [[{ call: run, args: { command: "echo more >> spec.txt" } }, { say: '${payload}' }]] }
checks: { there: test -s spec.txt }
seals: { paths: [spec.txt], changes: ask }
certify: { teeth: false }
worktree: false
`

const greet = `input: { who: world }
prompt: Say hello to {{ input.who }}.
agent: { script: [[{ say: Hello. }]] }
checks: { yes: 'true' }
certify: { dependencies: none, teeth: false }
worktree: false
`

let browser: Browser
let daemon: StartedDaemon
let folder: string

beforeAll(async () => {
  const starting = startDaemon()
  browser = await launchBrowser()
  afterFile(() => browser.close())
  daemon = await starting
  folder = dirname(daemon.state)
})

const ctl = (...args: string[]): Promise<Ended> =>
  warmLoopctl(
    args,
    { PATH: process.env['PATH'] ?? '', HOME: folder, LOOPWRIGHT_STATE: daemon.state },
    folder,
  )

const newLink = (): Promise<string> => linkOf(daemon)

/** A tab that is connected. Whatever it reports as an error fails the test. */
async function openTab(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await newContext(options)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) problems.push(message.text())
  })
  afterStory(() => expect(problems).toEqual([]))
  await page.goto(await newLink())
  return page
}

async function newContext(
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en', ...options })
  afterStory(() => context.close())
  return context
}

/** A run that changed a sealed file, and waits for a person. */
async function startAsking(name: string): Promise<void> {
  const place = join(folder, name)
  mkdirSync(join(place, 'work'), { recursive: true })
  writeFileSync(join(place, 'work', 'spec.txt'), `a line\n${payload}\n`)
  const file = join(place, 'curious.yaml')
  writeFileSync(file, curious)
  const { code, stderr } = await ctl('run', file, '--trust', '--detach', '--name', name)
  expect([code, stderr]).toEqual([0, expect.anything()])
}

/** Runs in a page of another origin. */
const attack = `async (target) => {
  const { origin, hash } = new URL(target)
  const body = JSON.stringify({ code: hash.slice('#code='.length) })
  const send = (path, init) => fetch(origin + path, init).then(() => 'answered', () => 'refused')
  const json = { 'content-type': 'application/json' }
  const sent = [
    await send('/ui/session', { method: 'POST', body, headers: json }),
    await send('/ui/session', { method: 'POST', body, mode: 'no-cors' }),
    await send('/ui/', {}),
  ]
  const frame = document.createElement('iframe')
  frame.src = target
  document.body.append(frame)
  await new Promise((resolve) => {
    frame.addEventListener('load', resolve)
    setTimeout(resolve, 3000)
  })
  return sent
}`

test('a question is shown with its evidence and answered by keyboard; the run then ends', async () => {
  await startAsking('asks-one')
  const page = await openTab()
  await page.getByRole('heading', { name: /Needs you: 1 question/ }).waitFor()
  expect(page.url()).not.toContain('code=')
  await page.getByText('Changes so far').waitFor()
  await page.getByRole('button', { name: /Reject/ }).waitFor()
  expect(await seriousProblems(page)).toEqual([])
  await page.keyboard.press('x')
  await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor()
  const { text } = await daemon.ask('GET', '/questions')
  expect(JSON.parse(text)).toEqual({ items: [] })
})

test('S6: a page on another port can neither frame the dashboard nor use a code; a link works once, in one tab, without cookies', async () => {
  const link = await newLink()
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>evil</title>')
  }).listen(0, '127.0.0.1')
  afterStory(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const page = await (await newContext()).newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const found = await page.evaluate<readonly string[]>(`(${attack})(${JSON.stringify(link)})`)
  expect(found).toEqual(['refused', 'refused', 'refused'])
  const framed = await page.frames()[1]?.content()
  expect(framed).not.toContain('Loopwright')
  // The code is still good: nothing used it up.
  await page.goto(link)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  expect(await page.context().cookies()).toEqual([])
  expect(await page.evaluate('localStorage.length')).toBe(0)
  const other = await (await newContext()).newPage()
  await other.goto(link)
  await other.getByText('This link was used before').waitFor()
  await other.goto(new URL('/ui/runs', link).href)
  await other.getByText('This tab is not connected').waitFor()
  await page.reload()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
})

test('a run is watched live, through a restart of the daemon, without a reload', async () => {
  const page = await openTab()
  await page.getByRole('link', { name: 'Runs' }).click()
  await startAsking('asks-live')
  const row = page.getByRole('row', { name: /asks-live/ })
  await row.getByText('Needs you').waitFor()
  await daemon.stop()
  await page.getByText('Daemon gone; retrying').waitFor()
  const { port } = new URL(daemon.address)
  daemon = await startDaemon({ state: daemon.state, args: ['--port', port] })
  await page.getByText('Live', { exact: true }).waitFor()
  await ctl('cancel', 'asks-live')
  await row.getByText('Cancelled', { exact: true }).waitFor()
  expect(await row.count()).toBe(1)
})

test('S5: what an agent says, a file holds and a loop is called is text on every page of a run', async () => {
  await startAsking('asks-html')
  const page = await openTab()
  await page.getByRole('heading', { name: /Needs you/ }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.getByRole('row', { name: /asks-html/ }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('asks-html')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /asks-html/ }).waitFor()
  expect(await seriousProblems(page)).toEqual([])
  for (const [at, shown] of [
    ['1', 'What the agent reported'],
    ['3', '<img src=x onerror='],
    ['4', 'spec.txt'],
    ['5', 'there'],
    ['9', 'newest first'],
  ] as const) {
    await page.keyboard.press(at)
    await page.getByText(shown).first().waitFor()
  }
  expect(await page.evaluate("'attacked' in window")).toBe(false)
  await ctl('cancel', 'asks-html')
})

test('a run is started from a form: what is wrong stands beside its field, and the file is trusted once', async () => {
  const place = join(folder, 'greets')
  mkdirSync(join(place, 'loops'), { recursive: true })
  writeFileSync(join(place, 'loops', 'greet.yaml'), greet)
  const page = await openTab()
  await page.getByRole('heading', { name: /eeds you/ }).waitFor()
  await page.keyboard.press('n')
  await page.getByRole('button', { name: 'Another folder' }).click()
  const find = page.getByLabel('Folder on the machine of the daemon')
  await find.fill('/does/not/exist')
  await find.press('Enter')
  await page.getByText('There is no folder /does/not/exist').waitFor()
  await find.fill(place)
  await find.press('Enter')
  await page.getByLabel('who').fill('you')
  await page.getByLabel('Dollars').fill('-1')
  await page.getByText('runs the check yes').waitFor()
  await page
    .getByRole('alert')
    .filter({ hasText: /costMicros|[Tt]oo small|>=0/ })
    .waitFor()
  await page.getByLabel('Dollars').fill('0.5')
  await page.getByText('Ready to run').waitFor()
  expect(await seriousProblems(page)).toEqual([])
  const start = page.getByRole('button', { name: 'Start', exact: true })
  expect(await start.isDisabled()).toBe(true)
  await page.getByLabel(/I have read/).check()
  await page.getByLabel('Name of the run').fill('hello-you')
  await start.click()
  await page.getByRole('heading', { name: /hello-you/ }).waitFor()
  const { text } = await daemon.ask('GET', '/runs/hello-you/events')
  expect(text).toMatch(/"who":"you".*"costMicros":500000|"costMicros":500000.*"who":"you"/)
  await page
    .getByText(/^(Completed|Certified)$/)
    .first()
    .waitFor({ timeout: 60_000 })
})

test('everything fits the width of a phone', async () => {
  const page = await openTab({ viewport: { width: 375, height: 720 } })
  await page.getByRole('heading', { name: /eeds you/ }).waitFor()
  for (const name of ['Runs', 'Loops', 'Start', 'Machine', 'Needs you']) {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click()
    await page.getByRole('main').getByRole('heading').first().waitFor()
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(375)
  }
  expect(await seriousProblems(page)).toEqual([])
})
