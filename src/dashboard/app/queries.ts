/** What the pages read. Lists come in pages; what is on show is kept up to date by `live.ts`. */

import {
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import {
  type InboxQuestion,
  type Machine,
  type MergeLines,
  type Page,
  type RunDetail,
  type RunSummaries,
  type RunSummary,
  type RunsFilter,
  runPath,
} from '../../client/browser.ts'
import { useConnection } from './connection.ts'
import { runKey, summariesKey } from './live.ts'

const pageSize = 100

export interface RunList {
  readonly items: readonly RunSummary[]
  readonly query: UseInfiniteQueryResult
}

export function useRunList(filter: RunsFilter): RunList {
  const { client } = useConnection()
  const query = useInfiniteQuery({
    queryKey: [summariesKey, filter],
    queryFn: ({ pageParam }): Promise<RunSummaries> =>
      client.summaries({
        ...filter,
        limit: pageSize,
        ...(pageParam === '' ? {} : { cursor: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: (page: RunSummaries) => page.next,
  })
  return { items: query.data?.pages.flatMap((page) => page.items) ?? [], query }
}

export const useQuestions = (): UseQueryResult<Page<InboxQuestion>> => {
  const { client } = useConnection()
  return useQuery({ queryKey: ['questions'], queryFn: () => client.questions({ limit: 200 }) })
}

export const useMachine = (): UseQueryResult<Machine> => {
  const { client } = useConnection()
  return useQuery({
    queryKey: ['machine'],
    queryFn: () => client.machine(),
    refetchInterval: 60_000,
  })
}

export const useMerges = (): UseQueryResult<MergeLines> => {
  const { client } = useConnection()
  return useQuery({
    queryKey: ['merges'],
    queryFn: async () => (await client.get('/merges')) as MergeLines,
  })
}

export const useRun = (run: string): UseQueryResult<RunDetail> => {
  const { client } = useConnection()
  return useQuery({ queryKey: [...runKey(run), 'detail'], queryFn: () => client.inspect(run) })
}

export interface RunPartOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly isNeeded?: boolean
}

/** A sub-resource of a run, such as `iterations`. */
export function useRunPart<T>(
  run: string,
  part: string,
  { query, isNeeded = true }: RunPartOptions = {},
): UseQueryResult<T> {
  const { client } = useConnection()
  return useQuery({
    queryKey: [...runKey(run), part, query],
    queryFn: async () => (await client.get(runPath(run, part), query)) as T,
    enabled: isNeeded,
  })
}

const partPagesMax = 50

/** All pages of a sub-resource, up to a limit. */
export function useWholeRunPart<T>(run: string, part: string): UseQueryResult<readonly T[]> {
  const { client } = useConnection()
  return useQuery({
    queryKey: [...runKey(run), part, 'all'],
    async queryFn() {
      const items: T[] = []
      let cursor: string | undefined
      for (let read = 0; read < partPagesMax; read++) {
        const page = (await client.get(runPath(run, part), { limit: 1000, cursor })) as Page<T>
        items.push(...page.items)
        cursor = page.next
        if (cursor === undefined) break
      }
      return items
    },
  })
}
