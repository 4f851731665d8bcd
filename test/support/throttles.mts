import { throttles } from '../../nodes/LicensingData/service/throttle.ts';

// Tests share one process and one key. What one of them has learned of the service is not for the next.
afterEach(() => {
	throttles.clear();
});
