/** Commands about certificates and keys: verify, certificate, keys. None needs a daemon or a network. */

import type { Command } from 'commander'
import type { Verdict, VerifyTarget } from '../../history/certificates/index.ts'
import { plural } from '../../loop/excerpt/plural.ts'
import { defined, LoopError } from '../../loop/index.ts'
import {
  renderCertificate,
  renderCertificates,
  renderKeys,
  renderVerification,
} from '../display/certificate-view.ts'
import { visible } from '../display/render.ts'
import { verdictExitCodes } from '../exit-codes.ts'
import { folderName, openSession, readStateFolder } from '../session.ts'

const load = (): Promise<typeof import('../../history/certificates/index.ts')> =>
  import('../../history/certificates/index.ts')

const widthMax = 100
const listedMax = 100

interface VerifyOptions {
  readonly repo?: string
  readonly commit?: string | true
  readonly trusted?: string
}

export function addCertificates(program: Command): void {
  program
    .command('verify <certificate>')
    .description('verify a certificate by file, id or run')
    .option(
      '--repo <folder>',
      'compare the files of this folder with what was certified',
      folderName,
    )
    .option('--commit [name]', 'compare a commit of --repo (default: the certified one)')
    .option('--trusted <file>', "keys to trust, instead of this installation's", folderName)
    .addHelpText(
      'after',
      `
Works without network, daemon or state folder. Reads and hashes every file and every git object again.
Exit code: 0 only if it is valid and its key is trusted; ${verdictExitCodes.invalid}: invalid, ${verdictExitCodes.untrusted}: untrusted, ${verdictExitCodes.differs}: other files.
With --json: { verdict, findings, id, certificate }.`,
    )
    .action((target: string, options: VerifyOptions) => verify(program, target, options))
  program
    .command('certificate [certificate]')
    .description('list certificates, show one, or copy one into a folder')
    .option('--out <folder>', 'copy it here, with the output of its checks', folderName)
    .action((target: string | undefined, options: { out?: string }) =>
      target === undefined ? list(program, options) : show(program, target, options),
    )
  addKeys(program)
}

async function verify(program: Command, target: string, options: VerifyOptions): Promise<void> {
  const { repo, commit, trusted } = options
  if (repo === undefined && commit !== undefined) {
    const advice = 'Pass the repository: --repo <folder>.'
    throw new LoopError('bad-request', `--commit names a commit of a repository. ${advice}`)
  }
  const request: VerifyTarget = {
    target,
    folder: await readStateFolder(program),
    ...(repo === undefined ? {} : { look: { repo, ...defined({ commit }) } }),
    ...defined({ trusted }),
  }
  const { print, terminal } = openSession(program)
  const width = terminal.live ? Math.min(terminal.width(), widthMax) : Number.POSITIVE_INFINITY
  const { verifyTarget } = await load()
  const found = await verifyTarget(request)
  print(found, () => renderVerification(found, { style: terminal.style, width }))
  const verdict: Verdict = found.verdict
  process.exitCode = verdictExitCodes[verdict]
}

async function list(program: Command, { out }: { readonly out?: string }): Promise<void> {
  if (out !== undefined)
    throw new LoopError('bad-request', '--out needs a certificate: pass an id or a run.')
  const { json, print } = openSession(program)
  const { listCertificates } = await load()
  const found = await listCertificates(await readStateFolder(program), listedMax)
  if (json) for (const one of found) print(one, String)
  else print(found, () => renderCertificates(found))
}

async function show(
  program: Command,
  target: string,
  { out }: { readonly out?: string },
): Promise<void> {
  const { print } = openSession(program)
  const folder = await readStateFolder(program)
  const { exportCertificate, readTarget } = await load()
  if (out === undefined) {
    const found = await readTarget(target, folder)
    return print(found, () => renderCertificate(found))
  }
  const made = await exportCertificate(target, folder, out)
  const gone =
    made.missing.length === 0 ? '' : ` Missing: ${plural(made.missing.length, 'output')}.`
  print(made, () =>
    visible(
      `${made.folder} contains the certificate and the output of ${plural(made.outputs, 'check')}.${gone} ` +
        `To verify it there: loopctl verify ${made.folder}. Others need your public key: loopctl keys export.`,
    ),
  )
}

function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('manage the keys that sign and verify certificates')
    .action(() => listAll(program))
  keys
    .command('list')
    .description('list your keys and the keys that you trust')
    .action(() => listAll(program))
  keys
    .command('rotate')
    .description('replace the signing key; the old key endorses the new one')
    .action(async () => {
      const { rotateKey } = await load()
      const made = await rotateKey(await readStateFolder(program), Date.now())
      if (made === undefined) {
        const message = 'Another process rotated the key at the same time. See: loopctl keys list.'
        throw new LoopError('run-busy', message)
      }
      const { id, number } = made
      openSession(program).print({ id, number }, () =>
        visible(`${id} is the new signing key. Send it to those who verify: loopctl keys export.`),
      )
    })
  keys
    .command('trust <file>')
    .description('trust the keys in a file that loopctl keys export printed')
    .action(async (file: string) => {
      const { trustFile } = await load()
      const done = await trustFile(await readStateFolder(program), file)
      openSession(program).print(done, () => renderTrusted(done))
    })
  keys
    .command('untrust <key>')
    .description('stop trusting a key')
    .action(async (id: string) => {
      const { untrustKeyById } = await load()
      const key = await untrustKeyById(await readStateFolder(program), id)
      openSession(program).print(key, () => visible(`${key.id} is no longer trusted.`))
    })
  keys
    .command('export')
    .description('print your public keys, for those who verify')
    .action(async () => {
      const { exportKeys } = await load()
      process.stdout.write(`${await exportKeys(await readStateFolder(program), Date.now())}\n`)
    })
}

async function listAll(program: Command): Promise<void> {
  const { json, print } = openSession(program)
  const { listKeys } = await load()
  const found = await listKeys(await readStateFolder(program))
  if (json) for (const key of found) print(key, String)
  else print(found, () => renderKeys(found))
}

function renderTrusted({
  added,
  endorsed,
}: {
  readonly added: readonly { readonly id: string; readonly name?: string }[]
  readonly endorsed: readonly string[]
}): string {
  if (added.length === 0) return 'All of these keys were already trusted.'
  return added
    .map(({ id, name }) => {
      const how = endorsed.includes(id) ? ', endorsed by a key that was already trusted' : ''
      return visible(`trusted ${id}${name === undefined ? '' : ` (${name})`}${how}`)
    })
    .join('\n')
}
