/** Chromium without a window, and tabs that are connected to a daemon. */

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startChromium } from '../../bench/chromium.ts'
import type { DaemonProcess } from '../daemon-process.ts'

/** `more`: arguments of Chromium. */
export const launchBrowser = startChromium

type Asked = Pick<DaemonProcess, 'address' | 'token'>

/** A link that opens the dashboard once. */
export async function newLink(daemon: Asked): Promise<string> {
  const { url } = (await ask(daemon, 'POST', '/daemon/links', {})) as { readonly url: string }
  return url
}

/** A request with the token. Rejects for a refusal, with what it says. */
export async function ask(
  { address, token }: Asked,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text) as unknown
}

export interface Tab {
  readonly page: Page
  /** What the page reported as errors, and violations of its policy. */
  readonly problems: readonly string[]
  close(): Promise<void>
}

export async function openTab(
  browser: Browser,
  daemon: Asked,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({ locale: 'en', ...options })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) problems.push(message.text())
  })
  await page.goto(await newLink(daemon))
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return { page, problems, close: () => context.close() }
}

/** Opens a page of the dashboard in a connected tab, without loading it again. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `(() => { history.pushState(null, '', ${JSON.stringify(`/ui${path}`)}); dispatchEvent(new PopStateEvent('popstate')) })()`,
  )
}
