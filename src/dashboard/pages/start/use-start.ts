/** What the page that starts a run reads: loop files, and what a run of the form would do and need. */

import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type {
  LoopListing,
  NewRunRequest,
  Plan,
  Preview,
  StartFindings,
} from '../../../client/browser.ts'
import { useConnection } from '../../app/connection.ts'

/** Known loops, or those of one folder. */
export function useLoops(folder: string): UseQueryResult<LoopListing> {
  const { client } = useConnection()
  return useQuery({
    queryKey: ['loops', folder],
    queryFn: () => (folder === '' ? client.loops() : client.findLoops(folder)),
    retry: false,
  })
}

export function usePreview(file: string | undefined): UseQueryResult<Preview> {
  const { client } = useConnection()
  return useQuery({
    queryKey: ['start', 'preview', file],
    queryFn: () => client.previewLoop(file ?? ''),
    enabled: file !== undefined,
    retry: false,
  })
}

export interface Looked {
  readonly plan: UseQueryResult<Plan>
  readonly findings: UseQueryResult<StartFindings>
}

const restMs = 500

/** Asked again a moment after the last change of the request. */
export function useLooked(request: NewRunRequest | undefined): Looked {
  const { client } = useConnection()
  const asked = useRested(request === undefined ? undefined : JSON.stringify(request))
  const options = { enabled: asked !== undefined, retry: false, placeholderData: keepPreviousData }
  const read = (): NewRunRequest => JSON.parse(asked ?? '{}') as NewRunRequest
  return {
    plan: useQuery({
      queryKey: ['start', 'plan', asked],
      queryFn: () => client.planRun(read()),
      ...options,
    }),
    findings: useQuery({
      queryKey: ['start', 'preflight', asked],
      queryFn: () => client.preflight(read()),
      ...options,
    }),
  }
}

/** A value that has not changed for a moment. The first one counts at once. */
function useRested(value: string | undefined): string | undefined {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs)
    return () => clearTimeout(timer)
  }, [value])
  return rested ?? value
}
