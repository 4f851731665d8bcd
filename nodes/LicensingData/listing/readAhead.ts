/** Asks for what comes next before handing on what is there, so that the two overlap. */
export async function* readAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
	try {
		let coming = source.next();
		for (;;) {
			const { done, value } = await coming;
			if (done) return;
			coming = source.next();
			// A consumer that has stopped must not be told of a request that fails afterwards.
			coming.catch(() => {});
			yield value;
		}
	} finally {
		void source.return(undefined);
	}
}
