/** Reading it takes some milliseconds, and it does not change. */
let openFiles: number | undefined;

/** How many descriptors this process may have: Node raises it to what the system allows at most. */
export function openFilesMax(): number {
  return (openFiles ??= readOpenFilesMax());
}

function readOpenFilesMax(): number {
  // Without it the report may wait for a name server.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as {
    readonly userLimits?: Readonly<Record<string, { readonly soft: unknown }>>;
  };
  const soft = userLimits?.['open_files']?.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
