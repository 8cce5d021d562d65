/** Commands about certificates and keys: verify, certificate, keys. None needs a daemon or a network. */

import type { Command } from 'commander'
import type { Verdict, VerifyTarget } from '../../history/certificates/index.ts'
import { defined, LoopError } from '../../loop/index.ts'
import {
  renderCertificate,
  renderCertificates,
  renderKeys,
  renderVerification,
} from '../display/certificate-view.ts'
import { visible } from '../display/render.ts'
import { verdictExitCodes } from '../exit-codes.ts'
import { folderName, openSession, stateFolderOf } from '../session.ts'

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
    .description('whether a certificate holds: a file, an id, or the newest of a run')
    .option(
      '--repo <folder>',
      'compare the files of this folder with what was certified',
      folderName,
    )
    .option('--commit [name]', 'compare a commit of it instead (default: the certified one)')
    .option('--trusted <file>', "the keys that count, instead of this installation's", folderName)
    .addHelpText(
      'after',
      `
Works without a network, a daemon or a record. Every file and every object of git is read and hashed anew.
The exit code is 0 only if it is valid and its key is trusted; ${verdictExitCodes.invalid}: invalid, ${verdictExitCodes.untrusted}: untrusted, ${verdictExitCodes.differs}: other files.
With --json: { verdict, findings, id, certificate }.

Examples:
  loopctl verify brave-owls-jump --repo .
  loopctl verify handed-over/certificate.json --trusted their-keys.json --repo . --commit v1.2`,
    )
    .action((target: string, options: VerifyOptions) => verify(program, target, options))
  program
    .command('certificate [certificate]')
    .description('show a certificate by id or run, put it into a folder, or list them')
    .option('--out <folder>', 'put it there, with what its checks printed', folderName)
    .action((target: string | undefined, options: { out?: string }) =>
      target === undefined ? list(program, options) : show(program, target, options),
    )
  addKeys(program)
}

async function verify(program: Command, target: string, options: VerifyOptions): Promise<void> {
  const { repo, commit, trusted } = options
  if (repo === undefined && commit !== undefined) {
    const advice = 'Say where: --repo <folder>.'
    throw new LoopError('bad-request', `--commit names a commit of a repository. ${advice}`)
  }
  const request: VerifyTarget = {
    target,
    folder: await stateFolderOf(program),
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
  if (out !== undefined) throw new LoopError('bad-request', 'Say which: an id or a run.')
  const { json, print } = openSession(program)
  const { listCertificates } = await load()
  const found = await listCertificates(await stateFolderOf(program), listedMax)
  if (json) for (const one of found) print(one, String)
  else print(found, () => renderCertificates(found))
}

async function show(
  program: Command,
  target: string,
  { out }: { readonly out?: string },
): Promise<void> {
  const { print } = openSession(program)
  const folder = await stateFolderOf(program)
  const { exportCertificate, readTarget } = await load()
  if (out === undefined) {
    const found = await readTarget(target, folder)
    return print(found, () => renderCertificate(found))
  }
  const made = await exportCertificate(target, folder, out)
  const gone = made.missing.length === 0 ? '' : ` ${made.missing.length} outputs are gone.`
  print(made, () =>
    visible(
      `${made.folder} has the certificate and ${made.outputs} outputs of checks.${gone} ` +
        `To verify it there: loopctl verify ${made.folder}. Others need your public key: loopctl keys export.`,
    ),
  )
}

function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('the keys that sign certificates, and those that are trusted')
    .action(() => listAll(program))
  keys
    .command('list')
    .description('the keys of this installation, and those of others that are trusted')
    .action(() => listAll(program))
  keys
    .command('rotate')
    .description('sign with a new key from now on; the old one signs for it and is thrown away')
    .action(async () => {
      const { rotateKey } = await load()
      const made = await rotateKey(await stateFolderOf(program), Date.now())
      if (made === undefined) {
        const message = 'Somebody else made a new key at this moment. See: loopctl keys list.'
        throw new LoopError('run-busy', message)
      }
      const { id, number } = made
      openSession(program).print({ id, number }, () =>
        visible(`${id} signs from now on. Give it to those who verify: loopctl keys export.`),
      )
    })
  keys
    .command('trust <file>')
    .description('trust the keys in a file that loopctl keys export printed')
    .action(async (file: string) => {
      const { trustFile } = await load()
      const done = await trustFile(await stateFolderOf(program), file)
      openSession(program).print(done, () => renderTrusted(done))
    })
  keys
    .command('untrust <key>')
    .description('do not trust a key of others any more')
    .action(async (id: string) => {
      const { untrust } = await load()
      const key = await untrust(await stateFolderOf(program), id)
      openSession(program).print(key, () => visible(`${key.id} is not trusted any more.`))
    })
  keys
    .command('export')
    .description('print the public keys of this installation, for those who verify')
    .action(async () => {
      const { exportKeys } = await load()
      process.stdout.write(`${await exportKeys(await stateFolderOf(program), Date.now())}\n`)
    })
}

async function listAll(program: Command): Promise<void> {
  const { json, print } = openSession(program)
  const { listKeys } = await load()
  const found = await listKeys(await stateFolderOf(program))
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
  if (added.length === 0) return 'All of them were trusted already.'
  return added
    .map(({ id, name }) => {
      const how = endorsed.includes(id) ? ', for which a key signed that was trusted before' : ''
      return visible(`trusted ${id}${name === undefined ? '' : ` (${name})`}${how}`)
    })
    .join('\n')
}
