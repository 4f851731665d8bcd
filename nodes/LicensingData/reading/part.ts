import type { License, LicensePage } from '../api/types';
import { Doubt } from './doubt';
import type { OpenList } from './openList';
import { totalOf } from './openList';
import type { Order } from './order';
import { moment } from './order';

/** What all parts of a list know together. */
export interface Common {
	order: Order;
	/** Whether an event has not been read before, in whichever part. */
	isNew: (license: License) => boolean;
	/** What is held of a license until all is read. */
	keep: (license: License) => License;
}

/** One of the lists that make up the whole, as far as it has been read. */
export class Part {
	readonly licenses: License[] = [];
	readonly moments: number[] = [];
	isFinished = false;
	private latestTotal: number;

	constructor(
		private readonly list: OpenList,
		private readonly common: Common,
	) {
		this.latestTotal = totalOf(list);
		this.take(list.first);
	}

	get left(): number {
		return totalOf(this.list) - this.licenses.length;
	}

	/** The moment down to which it has been read. */
	get depth(): number {
		return this.moments.at(-1) ?? Number.POSITIVE_INFINITY;
	}

	async readOn(): Promise<void> {
		const { value } = (await this.list.rest.next()) as IteratorYieldResult<LicensePage>;
		this.take(value);
	}

	private take({ data, pagination }: LicensePage): void {
		const { total = Number.NaN } = pagination;
		// What is filed while pages are read lengthens a part and stands above them. Anything else
		// may have moved a record to where it is not read, or is read twice.
		if (!(total >= this.latestTotal)) throw new Doubt('it changed while it was read');
		this.latestTotal = total;
		for (const license of data) if (this.common.isNew(license)) this.add(license);
		if (!pagination.hasMore) this.finish();
	}

	private add(license: License): void {
		const at = moment(license);
		const previous = this.licenses.at(-1);
		if (at > this.depth) throw new Doubt('its records are not newest first');
		if (previous && at === this.depth) this.common.order.learn(previous, license);
		this.licenses.push(this.common.keep(license));
		this.moments.push(at);
	}

	private finish(): void {
		if (this.left !== 0) throw new Doubt('its pages do not hold as many records as it announces');
		this.isFinished = true;
	}
}
