/** A repository, a certificate of its commit with what the checks printed, and the keys to verify it. */

import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TreeId } from 'loopwright'
import { issueCertificate } from '#src/evidence/index.ts'
import { exportCertificate, exportKeys } from '#src/history/certificates/index.ts'
import { createBlobStore } from '#src/journal/index.ts'
import { certificateDraft, certifiedCheck } from '#src/testing/certificate-draft.ts'
import { runGit } from '#src/workspace/index.ts'
import { makeFastFolder } from './fast-folder.ts'

export interface CertificateScene {
  readonly base: string
  readonly repository: string
  /** With `certificate.json` and `evidence/`. */
  readonly handedOver: string
  readonly keys: string
  /** Every file that a mutation may change, by what it is. */
  readonly victims: Readonly<Record<VictimKind, readonly string[]>>
  remove(): void
}

export const victimKinds = ['tree', 'object', 'evidence', 'certificate'] as const
export type VictimKind = (typeof victimKinds)[number]

const files: Readonly<Record<string, string>> = {
  '.gitignore': 'node_modules/\n',
  'package.json': '{ "name": "demo", "scripts": { "test": "node --test" } }\n',
  'src/add.js': 'export const add = (a, b) => a + b\n',
  'src/deep/er/empty.txt': '',
  'src/long.txt': 'a line of a long file\n'.repeat(500),
  'test/add.test.js': "import { add } from '../src/add.js'\n",
  'run.sh': '#!/bin/sh\nexit 0\n',
}

const outputs = ['3 tests passed\n', 'no problems\n', `${'.'.repeat(5000)}\nok\n`]

export async function makeCertificateScene(): Promise<CertificateScene> {
  const base = makeFastFolder('certificates')
  const [repository, state, handedOver] = ['repository', 'state', 'handed-over'].map((name) =>
    join(base, name),
  ) as [string, string, string]
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(repository, path, '..'), { recursive: true })
    writeFileSync(join(repository, path), text)
  }
  chmodSync(join(repository, 'run.sh'), 0o755)
  symlinkSync('src/add.js', join(repository, 'main.js'))
  mkdirSync(join(repository, 'node_modules'))
  const git = gitIn(repository)
  await git('init', '--quiet', '--initial-branch=main')
  await git('add', '--all')
  await git('commit', '--quiet', '--message=Begin')
  const blobs = createBlobStore({ root: join(state, 'blobs') })
  for (const output of outputs) await blobs.put(output)
  const checks = outputs.map((output, index) =>
    certifiedCheck({
      name: `check-${index}`,
      output: {
        sha256: createHash('sha256').update(output).digest('hex'),
        bytes: Buffer.byteLength(output),
      },
    }),
  )
  const draft = certificateDraft({
    tree: `git:${await git('rev-parse', 'HEAD^{tree}')}` as TreeId,
    commit: await git('rev-parse', 'HEAD'),
    rests: { checks: checks.map(({ name }) => name) },
    checks,
  })
  const { id } = await issueCertificate(draft, { folder: state })
  await exportCertificate(id, state, handedOver)
  const keys = join(base, 'keys.json')
  writeFileSync(keys, await exportKeys(state, Date.now()))
  // Who verifies has nothing of who issued it.
  rmSync(state, { recursive: true })
  return {
    base,
    repository,
    handedOver,
    keys,
    victims: {
      tree: Object.keys(files).map((path) => join(repository, path)),
      object: filesIn(join(repository, '.git', 'objects')),
      evidence: filesIn(join(handedOver, 'evidence')),
      certificate: [join(handedOver, 'certificate.json')],
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  }
}

const gitIn =
  (repository: string) =>
  async (command: string, ...options: readonly string[]): Promise<string> => {
    const at = { gitDir: join(repository, '.git'), workTree: repository }
    const { stdout } = await runGit({ at, command, options })
    return stdout.toString('utf8').trim()
  }

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
