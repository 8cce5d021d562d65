/** Chromium without a window, with tabs that are connected to a daemon. */

import { type Browser, chromium, type Page } from 'playwright-core'
import type { BenchDaemon } from './bench-daemon.ts'

/** `more`: more of its arguments. */
export const startChromium = (more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...more,
    ],
  })

export interface BenchTab {
  readonly page: Page
  close(): Promise<void>
}

export async function openBenchTab(
  browser: Browser,
  { address, token }: Pick<BenchDaemon, 'address' | 'token'>,
): Promise<BenchTab> {
  const response = await fetch(`${address}/daemon/links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  const { url } = (await response.json()) as { readonly url: string }
  const context = await browser.newContext({ locale: 'en' })
  const page = await context.newPage()
  await page.goto(url)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return { page, close: () => context.close() }
}
