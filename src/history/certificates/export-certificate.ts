/** Exports a certificate and the outputs of its checks to a folder, to verify it elsewhere. */

import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { listStoredDigests, openCertificate } from '../../evidence/certificate/index.ts'
import { LoopError } from '../../loop/index.ts'
import { certificateFile, evidenceFolder, findCertificate } from './find-certificate.ts'
import { hashFile, outputPath } from './stored-outputs.ts'

export interface ExportedCertificate {
  readonly folder: string
  readonly id: string
  readonly outputs: number
  /** Digests of outputs that are no longer in the state folder. */
  readonly missing: readonly string[]
}

export async function exportCertificate(
  target: string,
  folder: string,
  out: string,
): Promise<ExportedCertificate> {
  const found = await findCertificate(target, folder)
  const opened = openCertificate(found.bytes)
  if (opened.type === 'unreadable') {
    const advice = 'Restore it from a backup.'
    throw new LoopError('store-damaged', `The certificate ${target} is damaged. ${advice}`)
  }
  const to = resolve(out)
  await mkdir(join(to, evidenceFolder), { recursive: true })
  await requireEmpty(to)
  const wanted = listStoredDigests(opened.signed.certificate)
  const missing: string[] = []
  for (const sha256 of wanted) {
    const path = outputPath(found, folder, sha256)
    if ((await hashFile(path))?.sha256 !== sha256) missing.push(sha256)
    else await copyFile(path, join(to, evidenceFolder, sha256))
  }
  await writeFile(join(to, certificateFile), found.bytes, { flag: 'wx' })
  return { folder: to, id: opened.id, outputs: wanted.size - missing.length, missing }
}

/** Existing files must not be mixed with the export. */
async function requireEmpty(folder: string): Promise<void> {
  const names = [
    ...(await readdir(folder)).filter((name) => name !== evidenceFolder),
    ...(await readdir(join(folder, evidenceFolder))),
  ]
  if (names.length === 0) return
  throw new LoopError('bad-request', `${folder} is not empty. Pass a new folder: --out <folder>`)
}
