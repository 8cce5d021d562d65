/** What the page about loops reads. Schedules come by a stream, so each change of one is shown at once. */

import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type {
  CatalogLoopEntry,
  LevelStanding,
  LoopEntry,
  Schedule,
  ScheduleList,
} from '../../../client/browser.ts'
import { useConnection } from '../../app/connection.ts'
import { useLink } from '../../app/live.ts'

export interface LiveSchedules {
  readonly data: ScheduleList | undefined
  readonly error: unknown
}

export function useSchedules(): LiveSchedules {
  const { client } = useConnection()
  const isPaused = useLink().type === 'paused'
  const [state, setState] = useState<LiveSchedules>({ data: undefined, error: undefined })
  useEffect(() => {
    if (isPaused) return
    const stop = new AbortController()
    const read = async (): Promise<void> => {
      for await (const data of client.schedules.changes({ signal: stop.signal })) {
        setState({ data, error: undefined })
      }
    }
    read().catch((error: unknown) => {
      if (!stop.signal.aborted) setState(({ data }) => ({ data, error }))
    })
    return () => stop.abort()
  }, [client, isPaused])
  return state
}

export const useLoopFiles = (): UseQueryResult<readonly LoopEntry[]> => {
  const { client } = useConnection()
  return useQuery({ queryKey: ['loops'], queryFn: async () => (await client.loops()).items })
}

export const useLevels = (): UseQueryResult<readonly LevelStanding[]> => {
  const { client } = useConnection()
  return useQuery({ queryKey: ['levels'], queryFn: async () => (await client.levels()).items })
}

export const useCatalog = (): UseQueryResult<readonly CatalogLoopEntry[]> => {
  const { client } = useConnection()
  return useQuery({
    queryKey: ['catalog'],
    queryFn: async () => (await client.catalog()).items,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** With its newest ticks. Read again when it changes. */
export const useSchedule = (schedule: Schedule): UseQueryResult<Schedule> => {
  const { client } = useConnection()
  return useQuery({
    queryKey: ['schedule', schedule.id, schedule.last, schedule.paused],
    queryFn: () => client.schedules.get(schedule.id),
    placeholderData: (before) => before,
  })
}
