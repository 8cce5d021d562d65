/** The scene of the dashboard with a browser, for the tests of a file. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { expect } from 'vitest'
import { endedBy, startProcess } from '../../build/proof/daemon-process.js'
import { launchBrowser, openTab, type Tab } from '../../build/proof/dashboard/browser.js'
import { openScene, type Scene, sceneOn } from '../../build/proof/dashboard/scene.js'
import { afterFile, afterStory } from '../after.ts'

export interface Watched {
  readonly browser: Browser
  /** As it is now: a restart replaces it. */
  scene(): Scene
  /** Ends the daemon and starts another one at the same address. */
  restart(how: 'stop' | 'kill'): Promise<void>
  /** A connected tab; an error in it fails the test. */
  tab(options?: BrowserContextOptions): Promise<Tab>
}

export async function watchScene(args: readonly string[] = []): Promise<Watched> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-scene-'))
  const onStarted = (child: Parameters<typeof endedBy>[0]): void =>
    afterFile(() => endedBy(child, 'SIGKILL'))
  let scene = await openScene(folder, { onStarted })
  // Its runs write until it ends.
  afterFile(async () => {
    await scene.daemon.kill()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })
  const browser = await launchBrowser(args)
  afterFile(() => browser.close())
  return {
    browser,
    scene: () => scene,
    async restart(how) {
      const { daemon, project } = scene
      await daemon[how]()
      const again = await startProcess(daemon.state, {
        onStarted,
        args: ['--port', String(daemon.port)],
      })
      scene = sceneOn(again, project)
    },
    async tab(options) {
      const tab = await openTab(browser, scene.daemon, options)
      afterStory(async () => {
        await tab.close()
        expect(tab.problems).toEqual([])
      })
      return tab
    },
  }
}
