// `npm run screenshots`: pictures of every page of the dashboard, light and dark, on a desktop and on a phone, of a real daemon
// with real runs. They are kept in docs/screenshots, as WebP, which Chromium makes. Named pages only: npm run screenshots -- runs

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, runScript, ScriptError } from './child.mjs'

const output = join(root, 'docs', 'screenshots')
const bytesMax = 2_000_000
const sizes = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 } },
}
/** A page changes for a moment after it was opened. */
const restMs = 2000

/** By the name of the picture. `{file}`: the loop file of `fix-tests`. */
const pages = {
  'needs-you': '/',
  runs: '/runs',
  'runs-by-loop': '/runs?group=loop',
  loops: '/loops',
  start: '/start?file={file}',
  machine: '/machine',
  merges: '/merges',
  'run-certified': '/runs/fix-totals',
  'run-tuned': '/runs/better-totals/panels',
  'run-live': '/runs/to-decimals',
  'run-log': '/runs/to-decimals/log',
  'run-trace': '/runs/fix-totals/trace',
  'run-changes': '/runs/fix-totals/changes',
  'run-evidence': '/runs/fix-totals/evidence',
  'run-policy': '/runs/notes-1/policy',
  'run-ledger': '/runs/fix-totals/ledger',
  'run-files': '/runs/fix-totals/files',
  'run-events': '/runs/fix-totals/events',
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-screenshots-'))
  const { openScene, startRuns } = await import('../build/proof/dashboard/scene.js')
  const { goTo, launchBrowser, openTab } = await import('../build/proof/dashboard/browser.js')
  const scene = await openScene(folder)
  const browser = await launchBrowser()
  const painter = await browser.newPage()
  try {
    await startRuns(scene)
    mkdirSync(output, { recursive: true })
    for (const [size, options] of Object.entries(sizes)) {
      for (const colorScheme of ['light', 'dark']) {
        const tab = await openTab(browser, scene.daemon, { ...options, colorScheme })
        for (const [name, path] of Object.entries(chosen())) {
          const file = encodeURIComponent(scene.file('fix-tests'))
          await goTo(tab.page, path.replace('{file}', file))
          await tab.page.waitForTimeout(restMs)
          const webp = await toWebp(painter, await tab.page.screenshot())
          writeFileSync(join(output, `${name}-${size}-${colorScheme}.webp`), webp)
        }
        if (tab.problems.length > 0) throw new ScriptError(tab.problems.join('\n'))
        await tab.close()
        process.stderr.write(`${size}, ${colorScheme}\n`)
      }
    }
  } finally {
    await browser.close()
    await scene.daemon.kill()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  const bytes = readdirSync(output).reduce(
    (sum, name) => sum + statSync(join(output, name)).size,
    0,
  )
  process.stderr.write(`${bytes} bytes in ${output}\n`)
  if (bytes > bytesMax) throw new ScriptError(`The pictures have more than ${bytesMax} bytes.`)
  return 0
}

/** All, or those that were named. */
function chosen() {
  const names = process.argv.slice(2)
  const unknown = names.filter((name) => !(name in pages))
  if (unknown.length > 0) {
    throw new ScriptError(
      `No page ${unknown.join(', ')}. There are: ${Object.keys(pages).join(', ')}`,
    )
  }
  if (names.length === 0) return pages
  return Object.fromEntries(Object.entries(pages).filter(([name]) => names.includes(name)))
}

const quality = 0.35

async function toWebp(painter, png) {
  const url = await painter.evaluate(
    `(async () => {
      const image = new Image()
      image.src = 'data:image/png;base64,${png.toString('base64')}'
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
      canvas.getContext('2d').drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', ${quality})
    })()`,
  )
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}

await runScript(main)
