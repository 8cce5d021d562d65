/**
 * Opens the certifier of a run. Its code is loaded when there is something to certify, which is rare: most
 * iterations end without a candidate.
 */

import type { Certifier } from '../../engine/index.ts'
import { FaultError, isLoopError, LoopError, textOf } from '../../loop/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import type { RunParts } from '../../runs/options.ts'
import type { CertifyingParts } from '../checks/certifying-parts.ts'
import type { CertificateSubject, CertifierWorkspace } from './create-certifier.ts'

export function openCertifier(
  base: HostPorts,
  place: CertifierWorkspace,
  parts: Pick<RunParts, 'checks' | 'exclude'>,
  configured: CertifyingParts | undefined,
  as: Pick<CertificateSubject, 'baseCommit'> = {},
): Certifier {
  let opened: Promise<Certifier> | undefined
  const open = async (): Promise<Certifier> => {
    const { createHostCertifier } = await import('./create-certifier.ts')
    const { codeParts } = await import('./code-parts.ts')
    const certifying = configured ?? codeParts(parts.checks ?? {})
    const { findModelUsed } = await import('./find-model-used.ts')
    return createHostCertifier(base, { ...place, exclude: parts.exclude }, certifying, {
      ...as,
      findModel: async (run, iteration) =>
        (await findModelUsed(base.journal, run, iteration)) ?? certifying.model,
    })
  }
  return {
    async certify(subject, context) {
      try {
        opened ??= open()
        return await (await opened).certify(subject, context)
      } catch (error) {
        context.signal.throwIfAborted()
        throw asInfrastructureError(error, base.folder)
      }
    },
  }
}

/** A failing key, disk or program of ours is not a fault of the work: the run stops, and can be resumed. */
function asInfrastructureError(error: unknown, folder: string): unknown {
  if (error instanceof FaultError || isLoopError(error, 'store-failed')) return error
  if (isLoopError(error, 'dependencies-failed')) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  const advice = isFull
    ? `Free some space on the disk of ${folder} and of the folder for temporary files, then resume.`
    : 'Fix the cause, then resume.'
  const message = `The work could not be certified: ${textOf(error)}`
  const text = isLoopError(error) ? message : `${message.replace(/\.$/, '')}. ${advice}`
  return new LoopError('workspace-failed', text, { cause: error })
}
