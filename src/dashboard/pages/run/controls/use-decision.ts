/** Carries out a decision about a run, then reads the run again. The error says what the daemon refused. */

import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { runKey } from '../../../app/live.ts'

type Decide = () => Promise<unknown>

export function useDecision(
  run: string,
  onDone?: () => void,
): UseMutationResult<unknown, Error, Decide> {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (decide: Decide) => decide(),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: runKey(run) })
      onDone?.()
    },
  })
}
