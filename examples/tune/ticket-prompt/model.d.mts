export function startModel(
  seed?: number,
): Promise<{ readonly url: string; readonly close: () => void }>
