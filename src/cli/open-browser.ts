/**
 * Opens a link in the browser of the user. Other users can read the arguments of a process, and the link gives access; so
 * the browser is given a file that only the owner can read, which leads to the link.
 */

import { spawn } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const startedWithinMs = 2000

/** False: there is no browser, or it did not start. */
export async function openBrowser(
  url: string,
  stateFolder: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<boolean> {
  const command = findOpener(environment)
  if (command === undefined) return false
  const page = writePage(url, stateFolder)
  return new Promise((resolve) => {
    const child = spawn(command, [pathToFileURL(page).href], { detached: true, stdio: 'ignore' })
    const timer = setTimeout(() => resolve(true), startedWithinMs)
    const end = (isOpened: boolean): void => {
      clearTimeout(timer)
      resolve(isOpened)
    }
    child.once('error', () => end(false))
    child.once('exit', (code) => end(code === 0))
    child.unref()
  })
}

function findOpener(environment: NodeJS.ProcessEnv): string | undefined {
  if (process.platform === 'darwin') return 'open'
  const hasScreen = ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some(
    (name) => (environment[name] ?? '') !== '',
  )
  return hasScreen ? 'xdg-open' : undefined
}

/** Each link replaces the one before, which has been used or is too old. */
function writePage(url: string, stateFolder: string): string {
  const folder = join(stateFolder, 'daemon')
  const path = join(folder, 'dashboard.html')
  const shown = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const text = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${shown}"><a href="${shown}">Open the dashboard</a>\n`
  const written = `${path}.${process.pid}`
  writeFileSync(written, text, { mode: 0o600 })
  renameSync(written, path)
  return path
}
