/**
 * What certifying costs besides the checks and an install, beside `git worktree add`, in turns: both trees
 * listed, a clean checkout with a dependency layer that is there already, walls around it, two resets, one
 * of them with files laid over, and all of it removed again.
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSandbox } from 'loopwright'
import { openCertifyingCheckout } from '#src/launch/certify/open-certifying-checkout.ts'
import { memoryBlobs } from '#src/testing/memory-blobs.ts'
import { findRepository } from '#src/workspace/index.ts'
import { createTreeReader } from '#src/workspace/tree-reader.ts'
import { atMost, median, type Suite } from './report.ts'
import { git, wallMs, withRepository } from './worktree.ts'

const rounds = 5
const files = 20_000
const packageFiles = 2000

export const certifyOverhead: Suite = {
  area: 'evidence',
  title: 'certifying 20,000 files, without checks and install, beside git worktree add',
  run: ({ scale, note }) =>
    withRepository(files, async (checkout) => {
      addPackages(checkout)
      await git(checkout, 'add', '-A')
      await git(checkout, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'y')
      const certify = await certifying(checkout)
      await certify()
      note('  the layer is there')
      const ours: number[] = []
      const plain: number[] = []
      for (let round = -1; round < Math.max(1, Math.round(rounds * scale)); round++) {
        const path = `${checkout}.plain-${round}`
        let plainMs = 0
        let oursMs = 0
        for (const isOurs of round % 2 === 0 ? [true, false] : [false, true]) {
          if (isOurs) oursMs = await wallMs(certify)
          else
            plainMs = await wallMs(() => git(checkout, 'worktree', 'add', '-q', '--detach', path))
        }
        await git(checkout, 'worktree', 'remove', '--force', path)
        if (round < 0) continue
        ours.push(oursMs)
        plain.push(plainMs)
      }
      const detail = `${median(ours).toFixed(0)} ms beside ${median(plain).toFixed(0)} ms, ${files} files, a layer of ${packageFiles}`
      return [atMost('evidence.certify-overhead', median(ours) / median(plain), 5, 'x', detail)]
    }),
}

async function certifying(checkout: string): Promise<() => Promise<void>> {
  const repository = await findRepository(checkout)
  const record = `${checkout}.record`
  const blobs = memoryBlobs()
  const name = (what: string): string =>
    execFileSync('git', ['rev-parse', what], { cwd: checkout, encoding: 'utf8' }).trim()
  const tree = `git:${name('HEAD^{tree}')}` as Parameters<typeof openCertifyingCheckout>[0]['tree']
  const base = `git:${name('HEAD~1^{tree}')}` as typeof tree
  const commit = name('HEAD')
  const signal = new AbortController().signal
  const sandbox = await openSandbox()
  return async () => {
    const reader = createTreeReader({ blobs, folder: record, repository })
    await Promise.all([reader.list(base), reader.list(tree)])
    const place = await openCertifyingCheckout(
      { tree, commit, lockfileTree: tree, signal },
      {
        reader,
        blobs,
        stateFolder: record,
        repository,
        workspace: checkout,
        certifying: {
          certify: {
            dependencies: 'install',
            installScripts: [],
            require: 'work-alone',
            quick: true,
            consult: [],
            deadlineMs: 1000,
          },
          async open({ workspace, readOnly = [], layer }) {
            // As checks are: something is started in it.
            const walled = sandbox.commands({ workspace, readOnly, ...layer })
            await walled.run({ program: 'true', args: [], cwd: workspace }, signal)
            return {
              checks: [],
              agents: { work: () => Promise.reject(new Error('There is none.')) },
              sandbox: { tier: sandbox.report.tier, limits: sandbox.report.limits, attended: true },
              close: async () => undefined,
            }
          },
        },
      },
    )
    await place.checkout.reset(tree)
    const over = new Map([
      ['d0/e0/f0.txt', { content: Buffer.from('laid'), kind: 'file' as const }],
    ])
    await place.checkout.reset(tree, { over })
    await place.close()
  }
}

/** A package in a tarball, as npm packs it: nothing is fetched. */
function addPackages(checkout: string): void {
  const folder = `${checkout}.packing/package`
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"name":"dep","version":"1.0.0"}')
  for (let file = 0; file < packageFiles; file++) {
    writeFileSync(join(folder, `f${file}.js`), `module.exports = ${file}\n`)
  }
  execFileSync('tar', ['-czf', join(checkout, 'dep.tgz'), '-C', `${checkout}.packing`, 'package'])
  const manifest = { name: 'project', version: '1.0.0', dependencies: { dep: 'file:dep.tgz' } }
  const packages = {
    '': manifest,
    'node_modules/dep': { version: '1.0.0', resolved: 'file:dep.tgz' },
  }
  const lockfile = {
    name: 'project',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages,
  }
  writeFileSync(join(checkout, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify(lockfile))
}
